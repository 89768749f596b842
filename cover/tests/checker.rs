//! The checker must reject what is not a proof: each test damages a valid answer in one place.

mod common;

use common::{ROCKALL, answer};
use pidlab_cover::check::check_document;
use pidlab_cover::parse::{bp, spec, tts};
use pidlab_cover::{Certificate, Counter, CoverVerdict, Document, Net};

fn rejected(net: &Net, document: &Document, words: &str) {
    let rejection = check_document(net, document).expect_err("accepted a damaged answer");
    assert!(rejection.to_string().contains(words), "{rejection}");
}

fn rockall(algorithm: &str) -> (Net, Document) {
    let net = bp::parse(ROCKALL[0].2).unwrap();
    let document = answer(&net, algorithm, 60.0, false);
    (net, document)
}

#[test]
fn a_forward_certificate_without_one_configuration_is_not_closed() {
    let (net, document) = rockall("beacon");
    let Some(Certificate::Forward { configurations, .. }) = &document.certificate else {
        panic!("beacon gives forward certificates");
    };
    for drop in (0..configurations.len()).step_by(97) {
        let mut damaged = document.clone();
        if let Some(Certificate::Forward { configurations, .. }) = &mut damaged.certificate {
            configurations.remove(drop);
        }
        assert!(check_document(&net, &damaged).is_err(), "configuration {drop} is not needed");
    }
}

#[test]
fn a_certificate_that_contains_the_target_is_rejected() {
    let (net, mut document) = rockall("mp");
    if let Some(Certificate::Forward { configurations, .. }) = &mut document.certificate {
        configurations[0].insert("error".into(), Counter::Number(1));
    }
    rejected(&net, &document, "covers a target");
}

#[test]
fn damaged_traces_are_rejected() {
    let net = bp::parse(ROCKALL[4].2).unwrap();
    let document = answer(&net, "auto", 60.0, true);
    let edit = |change: &dyn Fn(&mut pidlab_cover::Trace)| {
        let mut damaged = document.clone();
        change(damaged.trace.as_mut().unwrap());
        damaged
    };
    rejected(&net, &edit(&|t| drop(t.steps.pop())), "covers no target");
    rejected(&net, &edit(&|t| drop(t.steps.remove(1))), "not enabled");
    rejected(&net, &edit(&|t| t.steps[0].transition = 1 << 30), "no such transition");
    rejected(&net, &edit(&|t| *t.initial.values_mut().next().unwrap() = 0), "not an initial count");
    let mut swapped = document.clone();
    swapped.verdict = CoverVerdict::Safe;
    rejected(&net, &swapped, "verdict without");
}

#[test]
fn damaged_backward_certificates_are_rejected() {
    let text = include_str!("../../testdata/cover/mist/peterson.spec");
    let net = spec::parse(text).unwrap();
    let document = answer(&net, "backward", 60.0, false);
    let Some(Certificate::Backward { basis, pairs: Some(_), .. }) = &document.certificate else {
        panic!("expected a backward certificate with pairs");
    };
    assert!(!basis.is_empty());
    let edit = |change: &dyn Fn(&mut Certificate)| {
        let mut damaged = document.clone();
        change(damaged.certificate.as_mut().unwrap());
        damaged
    };
    let basis_cut = edit(&|c| {
        if let Certificate::Backward { basis, .. } = c {
            basis.clear();
        }
    });
    rejected(&net, &basis_cut, "outside the basis");
    let no_pairs = edit(&|c| {
        if let Certificate::Backward { pairs, .. } = c {
            *pairs = None;
        }
    });
    assert!(check_document(&net, &no_pairs).is_err());
    let all_excluded = edit(&|c| {
        if let Certificate::Backward { pairs: Some(table), .. } = c {
            table.rows.iter_mut().for_each(|row| *row = "0".repeat(row.len()));
        }
    });
    rejected(&net, &all_excluded, "excludes the start");
}

#[test]
fn inequalities_must_be_inductive() {
    let net = spec::parse(include_str!("../../testdata/cover/mist/multipool.spec")).unwrap();
    let mut document = answer(&net, "backward", 60.0, false);
    let Some(Certificate::Backward { inequalities, .. }) = &mut document.certificate else {
        panic!("expected a backward certificate");
    };
    assert!(!inequalities.is_empty());
    inequalities[0].bound = 0;
    rejected(&net, &document, "not inductive");
}

#[test]
fn merged_places_are_checked_on_the_image() {
    let system = "2 4\n0 0 -> 1 1\n0 0 -> 1 2\n1 1 -> 0 3\n1 2 -> 0 3\n";
    let net = tts::parse(system, "1|1,3\n1|1,1").unwrap();
    let document = answer(&net, "mp", 10.0, true);
    let mut damaged = document.clone();
    if let Some(Certificate::Forward { merge, .. }) = &mut damaged.certificate {
        let all = net.places.iter().map(|p| (p.to_string(), Some("s0".to_string())));
        *merge = Some(all.collect());
        assert!(check_document(&net, &damaged).is_err());
    }
}

#[test]
fn unknown_fields_in_documents_are_errors_that_name_the_field() {
    let text = r#"{"verdict":"unknown","algorithm":"mp","trace":null,"certificate":null,
                   "explored":0,"surprise":1}"#;
    let error = serde_json::from_str::<Document>(text).unwrap_err();
    assert!(error.to_string().contains("surprise"), "{error}");
    let plain = text.replace(r#","surprise":1"#, "");
    assert_eq!(serde_json::from_str::<Document>(&plain).unwrap().format, "pidlab-cover/1");
}
