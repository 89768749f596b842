//! What the states of one labelled transition system have in common: numbers of locations, of shapes of
//! vectors, of data and of actions.
//!
//! A shape is a location with the positions of pids in a vector. It is a place of the canonisers of nets,
//! so that states become markings and have the same keys. Numbers are given as things turn up and
//! stay; keys do not depend on how many there are (see `keys`).

use crate::net::compiled::Place;
use crate::net::syntax::tree::{PlaceKind, Type};
use pidlab_core::datum::Datum;
use pidlab_syntax::Span;
use rustc_hash::FxHashMap;

/// Numbers and names.
pub struct Schema {
    /// One for each location and shape; the canonisers see these. The first holds pins, which tell threads
    /// apart by a number, and no state has it.
    pub places: Vec<Place>,
    shapes: FxHashMap<Box<[u8]>, u32>,
    locations: FxHashMap<Box<str>, u32>,
    data: Vec<Datum>,
    integers: FxHashMap<i128, u32>,
    strings: FxHashMap<Box<str>, u32>,
    /// Names of actions and of parameters.
    words: Vec<Box<str>>,
    word_numbers: FxHashMap<Box<str>, u32>,
}

impl Default for Schema {
    fn default() -> Schema {
        let pins = Place::new(
            String::new(),
            PlaceKind::Plain,
            vec![Type::Pid, Type::Int],
            Span::default(),
        );
        Schema {
            places: vec![pins],
            shapes: FxHashMap::default(),
            locations: FxHashMap::default(),
            data: vec![Datum::Bool(false), Datum::Bool(true)],
            integers: FxHashMap::default(),
            strings: FxHashMap::default(),
            words: Vec::new(),
            word_numbers: FxHashMap::default(),
        }
    }
}

impl Schema {
    /// The number of a location.
    #[inline]
    pub fn location(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.locations.get(name) {
            return number;
        }
        let number = self.locations.len() as u32;
        self.locations.insert(name.into(), number);
        number
    }

    /// The place of a vector: `shape` is the number of its location in four bytes, then a byte for each
    /// component, 1 for pids.
    #[inline]
    pub fn place(&mut self, shape: &[u8], location: &str) -> u32 {
        if let Some(&place) = self.shapes.get(shape) {
            return place;
        }
        let kind = |&pid: &u8| if pid == 1 { Type::Pid } else { Type::Int };
        let types = shape[4..].iter().map(kind).collect();
        let place = self.places.len() as u32;
        self.places.push(Place::new(location.into(), PlaceKind::Plain, types, Span::default()));
        self.shapes.insert(shape.into(), place);
        place
    }

    pub fn boolean(value: bool) -> u32 {
        u32::from(value)
    }

    #[inline]
    pub fn integer(&mut self, value: i128) -> u32 {
        let fresh = self.data.len() as u32;
        *self.integers.entry(value).or_insert_with(|| {
            self.data.push(Datum::Int(value));
            fresh
        })
    }

    #[inline]
    pub fn string(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.strings.get(text) {
            return number;
        }
        let number = self.data.len() as u32;
        self.data.push(Datum::Str(text.into()));
        self.strings.insert(text.into(), number);
        number
    }

    pub fn datum(&self, number: u32) -> &Datum {
        &self.data[number as usize]
    }

    /// The value of a component; none of a pid.
    pub fn datum_of(&self, is_pid: bool, word: u32) -> Option<&Datum> {
        if is_pid { None } else { self.data.get(word as usize) }
    }

    /// The number of the name of an action or parameter.
    pub fn word(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.word_numbers.get(name) {
            return number;
        }
        let number = self.words.len() as u32;
        self.words.push(name.into());
        self.word_numbers.insert(name.into(), number);
        number
    }

    pub fn word_name(&self, number: u32) -> &str {
        &self.words[number as usize]
    }
}
