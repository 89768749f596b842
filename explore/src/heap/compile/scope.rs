//! Named variables in order, found by name in constant time.

use super::program::{Slot, Type};
use rustc_hash::FxHashMap;

/// Variables of one scope.
#[derive(Default)]
pub struct Scope {
    slots: Vec<Slot>,
    places: FxHashMap<String, u32>,
}

impl Scope {
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Number and type of a variable.
    pub fn find(&self, name: &str) -> Option<(u32, Type)> {
        let &at = self.places.get(name)?;
        Some((at, self.slots[at as usize].of))
    }

    /// Adds a variable; `false` if its name is taken.
    pub fn add(&mut self, name: &str, of: Type) -> bool {
        let at = self.slots.len() as u32;
        let is_new = !self.places.contains_key(name);
        if is_new {
            self.places.insert(name.to_string(), at);
            self.slots.push(Slot { name: name.to_string(), of });
        }
        is_new
    }

    /// Adds a variable that has no name yet; its number.
    pub fn add_unnamed(&mut self, of: Type) -> u32 {
        self.slots.push(Slot { name: String::new(), of });
        self.slots.len() as u32 - 1
    }

    /// Gives a variable a name.
    pub fn rename(&mut self, index: u32, name: &str) {
        self.slots[index as usize].name = name.to_string();
        self.places.insert(name.to_string(), index);
    }

    /// Takes all names away, until they are given back.
    pub fn suspend(&mut self) -> FxHashMap<String, u32> {
        std::mem::take(&mut self.places)
    }

    pub fn resume(&mut self, names: FxHashMap<String, u32>) {
        self.places = names;
    }

    /// Forgets the names of all variables from a number on; their numbers stay taken.
    pub fn hide_from(&mut self, first: usize) {
        for slot in &mut self.slots[first..] {
            self.places.remove(&std::mem::take(&mut slot.name));
        }
    }

    pub fn clear(&mut self) {
        self.slots.clear();
        self.places.clear();
    }

    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    pub fn into_slots(self) -> Vec<Slot> {
        self.slots
    }
}
