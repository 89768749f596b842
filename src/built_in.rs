//! The experiments, claims and models that are part of the program, so that they run from any folder.

use pidlab_harness::built_in::BuiltIn;

macro_rules! experiments {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../experiments/", $name, ".toml")))),*]
    };
}

macro_rules! models {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../models/", $name)))),*]
    };
}

pub const FILES: BuiltIn = BuiltIn {
    version: env!("CARGO_PKG_VERSION"),
    commit: env!("PIDLAB_COMMIT"),
    lock: include_str!("../Cargo.lock"),
    published: experiments![
        "sacs10",
        "sacs10-layered",
        "sacs10-sage",
        "sacs10-sage-encodings",
        "sacs10-sensitivity",
        "iscis09",
        "iscis09-crossed",
        "iscis09-networkx",
        "iscis09-networkx-data",
        "ictac08",
        "ictac08-networkx",
        "vf2-against-nauty",
        "networkx-against-sage",
        "all-backends",
        "relations",
        "reduction",
        "hard-families",
        "bogor-table1",
        "bogor-table2",
        "bogor-table3",
        "bogor-k",
        "beacon-rockall",
        "coverability",
    ],
    compared: experiments!["regression", "regression-search"],
    tournament: include_str!("../experiments/tournament.toml"),
    claims: include_str!("../experiments/claims.toml"),
    models: models![
        "nkm.tnet",
        "server.tnet",
        "fork-join.tnet",
        "producer-consumer.tnet",
        "ring.tnet",
        "supervisor.tnet",
        "work-stealing.tnet",
        "philosophers.bir",
        "bounded-buffer.bir",
        "ordered-list.bir",
        "rockall.bp",
        "rockall-strict.bp",
        "rockall-no-find-lock.bp",
        "rockall-no-newpage-lock.bp",
        "rockall-no-lock-B0_New.bp",
        "rockall-no-lock-B0_Delete.bp",
        "rockall-no-lock-FetchFromB1.bp",
        "rockall-no-lock-B1_New.bp",
        "rockall-no-lock-GiveToB1.bp",
        "rockall-no-lock-B1_Delete.bp",
        "rockall-no-subdivided-check.bp",
        "beacon-bfs-incomplete.lgfsm",
    ],
};

#[cfg(test)]
mod tests {
    use super::FILES;
    use pidlab_harness::built_in;
    use pidlab_harness::claims;
    use pidlab_harness::experiment::{Experiment, ScaleName, library};
    use pidlab_harness::plan::Plan;
    use std::collections::HashSet;
    use std::path::Path;

    #[test]
    fn every_experiment_parses_and_has_a_claim() {
        built_in::provide(FILES);
        let claims = claims::all().unwrap();
        let names = library::names();
        for experiment in library::all().unwrap() {
            assert!(names.contains(&experiment.name.as_str()), "{}", experiment.name);
            let mut judged = claims.iter().map(|claim| &claim.experiment);
            assert!(
                judged.any(|name| *name == experiment.name),
                "{} has no claim",
                experiment.name
            );
        }
        let experiments = library::all().unwrap();
        let mut ids = HashSet::new();
        for claim in &claims {
            let about = experiments.iter().find(|experiment| experiment.name == claim.experiment);
            let about = about.unwrap_or_else(|| panic!("{} is about no experiment", claim.id));
            claim.check(about).unwrap_or_else(|problem| panic!("{}: {problem}", claim.id));
            assert!(ids.insert(&claim.id), "{} twice", claim.id);
        }
    }

    #[test]
    fn row_numbers_and_places_are_one_to_one() {
        built_in::provide(FILES);
        for (name, text) in FILES.published.iter().chain(FILES.compared) {
            let experiment = Experiment::parse(text, Path::new(name)).unwrap();
            let plan = Plan::new(experiment, "", ScaleName::Smoke, None).unwrap();
            let mut seen = HashSet::new();
            for row in 0..plan.rows().min(20_000) {
                let place = plan.place(row);
                assert!(plan.rows_of(place.block).contains(&row));
                assert!(seen.insert(format!("{place:?}")), "row {row} twice");
            }
            let mut order = plan.row_order(1);
            order.sort_unstable();
            assert_eq!(order, plan.rows_of(1).collect::<Vec<_>>());
        }
    }
}
