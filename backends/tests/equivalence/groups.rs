//! Automorphism groups: orders against enumeration of all bijections, against nauty and Traces, and generators that the
//! checker accepts.

use super::universe;
use pidlab_backends::{AutomorphismGroup, Budget, automorphism_group};
use pidlab_check::verify;
use pidlab_core::{Relations, State};
use pidlab_generators::hard::{REGISTRY, Variant, instance};
use pidlab_generators::{RandomParams, Rng, random_state};

fn group(state: &State, relations: Relations) -> AutomorphismGroup {
    automorphism_group(state, relations, &Budget::unlimited()).unwrap()
}

fn images(state: &State, group: &AutomorphismGroup) -> Vec<Vec<u32>> {
    let image = |moves: &Vec<(u32, u32)>| {
        let mut image: Vec<u32> = state.pids().collect();
        moves.iter().for_each(|&(x, y)| image[x as usize] = y);
        image
    };
    group.generators.iter().map(image).collect()
}

fn permutations(items: &mut Vec<u32>, from: usize, found: &mut impl FnMut(&[u32])) {
    if from == items.len() {
        return found(items);
    }
    for i in from..items.len() {
        items.swap(from, i);
        permutations(items, from + 1, found);
        items.swap(from, i);
    }
}

/// Bijections of a state onto itself that the independent checker accepts.
fn by_force(state: &State, relations: Relations) -> u64 {
    let mut count = 0;
    let mut names: Vec<u32> = state.pids().collect();
    permutations(&mut names, 0, &mut |image| {
        count += u64::from(verify(state, state, relations, image).is_ok());
    });
    count
}

/// The group that permutations generate, by closing them under composition.
fn closure(generators: &[Vec<u32>], pids: usize) -> u64 {
    let identity: Vec<u32> = (0..pids as u32).collect();
    let mut known = std::collections::HashSet::from([identity.clone()]);
    let mut open = vec![identity];
    while let Some(element) = open.pop() {
        for generator in generators {
            let product: Vec<u32> = element.iter().map(|&x| generator[x as usize]).collect();
            if known.insert(product.clone()) {
                open.push(product);
            }
        }
    }
    known.len() as u64
}

fn agrees_with_enumeration(state: &State) -> u64 {
    let mut symmetric = 0;
    for relations in Relations::subsets() {
        let group = group(state, relations);
        let order = group.order.to_u64().unwrap();
        assert_eq!(order, by_force(state, relations), "{relations} {state:?}");
        let images = images(state, &group);
        assert_eq!(order, closure(&images, state.pid_count()), "{relations} {state:?}");
        symmetric += u64::from(order > 1);
    }
    symmetric
}

#[test]
fn orders_of_small_states_are_those_of_enumeration_for_all_relations() {
    let symmetric: u64 =
        universe::states(3, true).iter().step_by(23).map(agrees_with_enumeration).sum();
    assert!(symmetric > 20, "{symmetric}");
}

#[test]
fn orders_of_random_states_are_those_of_enumeration_for_all_relations() {
    let mut symmetric = 0;
    for row in 0..60 {
        let mut rng = Rng::new(5, row);
        let (pids, vectors) = (2 + row as usize % 5, Some(2 + row as usize % 4));
        let params = RandomParams {
            pids,
            vectors,
            locations: 1,
            width: [1, 3],
            pid_share: 0.95,
            distinct_data: 1,
            ..RandomParams::default()
        };
        let Ok(state) = random_state(&params, &mut rng) else { continue };
        symmetric += agrees_with_enumeration(&state);
    }
    assert!(symmetric > 10, "{symmetric}");
}

/// A decimal number as mantissa and exponent.
fn rounded(order: &str) -> (f64, usize) {
    let digits = order.len() - 1;
    (
        format!("{}.{}", &order[..1], order[1..].chars().take(15).collect::<String>())
            .parse()
            .unwrap(),
        digits,
    )
}

/// The order of the group is what nauty and Traces count, and the checker accepts every generator; how many of the two
/// answered, since some families are there because one of them takes too long.
#[cfg(feature = "nauty")]
fn agrees_with_nauty_and_traces(state: &State, context: &str) -> u32 {
    use pidlab_nauty::{Labeler, LabelingLimits, SparseGraph, Stopped, group_size};
    let limits = LabelingLimits { time: Some(PATIENCE), ..LabelingLimits::default() };
    let group = group(state, Relations::NONE);
    for image in images(state, &group) {
        assert_eq!(verify(state, state, Relations::NONE, &image), Ok(()), "{context}");
    }
    let (mantissa, digits) = rounded(&group.order.to_string());
    let (colors, edges) = pidlab_backends::plain_graph(state, Relations::NONE);
    let mut answered = 0;
    for program in [Labeler::Nauty, Labeler::Traces] {
        let mut graph = SparseGraph::new(colors.clone(), &edges).unwrap();
        let theirs = match group_size(program, &mut graph, limits) {
            Err(Stopped::Time) => continue,
            theirs => theirs.unwrap(),
        };
        answered += 1;
        let exponent = theirs.mantissa.log10().floor();
        let theirs_digits = exponent as i64 + i64::from(theirs.exponent);
        assert_eq!(digits as i64, theirs_digits, "{context} {program:?}");
        let theirs = theirs.mantissa / 10f64.powf(exponent);
        assert!((mantissa - theirs).abs() < 1e-9, "{context} {program:?}: {mantissa} {theirs}");
    }
    answered
}

/// What either of the two may take for one group.
#[cfg(feature = "nauty")]
const PATIENCE: std::time::Duration = std::time::Duration::from_millis(200);

/// Every family, every variant that it has, near these sizes.
#[cfg(feature = "nauty")]
fn families_agree(sizes: &[usize]) {
    if let Some(missing) = pidlab_nauty::unavailable() {
        eprintln!("SKIPPED: {missing}");
        return;
    }
    for entry in &REGISTRY {
        let mut compared = 0;
        for &wanted in sizes {
            let has = |size: &usize| instance(entry.family, *size, Variant::Base, 3).is_ok();
            let Some(size) = (wanted..wanted + 20).find(has) else { continue };
            for variant in [Variant::Base, Variant::Equivalent, Variant::Twin] {
                let Ok(found) = instance(entry.family, size, variant, 3) else { continue };
                let context = format!("{} {size} {variant:?}", entry.name);
                compared += agrees_with_nauty_and_traces(&found.state, &context);
            }
        }
        assert!(compared >= 3, "{}: {compared} answers near {sizes:?}", entry.name);
    }
}

#[cfg(feature = "nauty")]
#[test]
fn orders_of_hard_families_are_those_of_nauty_and_traces() {
    families_agree(&[4, 9]);
}

#[cfg(feature = "nauty")]
#[test]
#[ignore = "long"]
fn orders_of_larger_hard_families_are_those_of_nauty_and_traces() {
    families_agree(&[6, 16, 25, 36, 49]);
}

#[test]
fn a_large_group_and_a_deep_one() {
    // 3,000 pids that nothing tells apart
    let state = instance(pidlab_generators::hard::Family::EqualComponents, 500, Variant::Base, 1)
        .unwrap()
        .state;
    let group = group(&state, Relations::NONE);
    // 500! · 12^500
    assert_eq!(group.order.to_string().len(), 1674);
    assert!(
        images(&state, &group)
            .iter()
            .all(|image| verify(&state, &state, Relations::NONE, image).is_ok())
    );
}
