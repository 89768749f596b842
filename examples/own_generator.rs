//! A generator of one's own: rings of threads, each waiting for the next, made with `StateBuilder`.

use pidlab_backends::{Budget, GraphKind, Problem, Verdict, registry};
use pidlab_core::state::{BuildError, StateBuilder};
use pidlab_core::{Relations, State};
use pidlab_generators::Rng;

/// One ring of n threads under names in random order.
fn ring(n: usize, rng: &mut Rng) -> Result<State, BuildError> {
    let names = rng.permutation(n);
    let mut builder = StateBuilder::new();
    let waits = builder.location("waits");
    for i in 0..n {
        let (x, y) = (names[i] as u64 + 1, names[(i + 1) % n] as u64 + 1);
        let entries = vec![builder.pid(&[x]), builder.pid(&[y])];
        builder.vector(waits, entries);
        builder.active(&[x], 0)?;
    }
    builder.finish()
}

pub fn main() {
    let mut rng = Rng::new(2010, 0);
    let (q, r) = (ring(100, &mut rng).expect("a ring"), ring(100, &mut rng).expect("a ring"));
    let relations = Relations::default();
    let problem = Problem { q: &q, r: &r, relations, graph: GraphKind::Corrected };
    let backend = registry::find("canon").expect("it is always there");
    let decision = backend.decide(problem, &Budget::unlimited());
    assert!(matches!(decision.verdict, Verdict::Equivalent(_)));
    println!("two rings of 100 threads are equivalent: {:?}", decision.build + decision.decide);
}
