//! Names of places.
//!
//! A header may declare millions of places. Their names are one text, and the table that finds them
//! holds numbers only, so that both are a few allocations: cheap to copy, and freed at once when a limit
//! ends the work.

use crate::budget::{Budget, Exhausted};
use rustc_hash::FxHasher;
use std::fmt;
use std::hash::Hasher;
use std::ops::Index;

/// Names one after the other.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Names {
    text: String,
    /// Where each name ends.
    ends: Vec<usize>,
}

impl Names {
    /// Adds a name.
    pub fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len());
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The name added last.
    pub fn last(&self) -> Option<&str> {
        self.len().checked_sub(1).map(|last| &self[last])
    }

    /// All names in their order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|number| &self[number])
    }
}

impl Index<usize> for Names {
    type Output = str;

    fn index(&self, number: usize) -> &str {
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.text[start..self.ends[number]]
    }
}

impl<S: AsRef<str>> FromIterator<S> for Names {
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Names {
        let mut all = Names::default();
        names.into_iter().for_each(|name| all.push(name.as_ref()));
        all
    }
}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Names that are found by what they are: open addressing, at most half full.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameTable {
    names: Names,
    slots: Vec<u32>,
}

const FREE: u32 = u32::MAX;

impl NameTable {
    pub fn new(names: Names, budget: &Budget) -> Result<NameTable, Exhausted> {
        let size = (2 * names.len()).next_power_of_two();
        budget.reserve::<u32>(size)?;
        let mut table = NameTable { names, slots: vec![FREE; size] };
        for number in 0..table.names.len() {
            budget.step()?;
            table.enter(number);
        }
        Ok(table)
    }

    pub fn names(&self) -> &Names {
        &self.names
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// The number of a name; the last one if several have it.
    pub fn number(&self, name: &str) -> Option<u32> {
        self.slots.get(self.slot(name)).copied().filter(|&number| number != FREE)
    }

    /// Adds a name.
    pub fn push(&mut self, name: &str) {
        self.names.push(name);
        if 2 * self.names.len() > self.slots.len() {
            self.slots = vec![FREE; (4 * self.names.len()).next_power_of_two()];
            (0..self.names.len()).for_each(|number| self.enter(number));
        } else {
            self.enter(self.names.len() - 1);
        }
    }

    fn enter(&mut self, number: usize) {
        let slot = self.slot(&self.names[number]);
        self.slots[slot] = number as u32;
    }

    /// Where a name stands, or would.
    fn slot(&self, name: &str) -> usize {
        let mut hasher = FxHasher::default();
        hasher.write(name.as_bytes());
        let mask = self.slots.len().wrapping_sub(1);
        let mut slot = hasher.finish() as usize & mask;
        while let Some(&number) = self.slots.get(slot)
            && number != FREE
            && &self.names[number as usize] != name
        {
            slot = (slot + 1) & mask;
        }
        slot
    }
}

impl PartialEq for NameTable {
    fn eq(&self, other: &NameTable) -> bool {
        self.names == other.names
    }
}

impl Eq for NameTable {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept_apart() {
        let names: Names = ["a", "", "bc"].into_iter().collect();
        assert_eq!(names.iter().collect::<Vec<_>>(), ["a", "", "bc"]);
        assert_eq!((names.len(), names.last(), &names[2]), (3, Some("bc"), "bc"));
        assert_ne!(names, ["ab", "", "c"].into_iter().collect());
        assert_eq!(Names::default().last(), None);
    }

    #[test]
    fn every_name_is_found_and_no_other() {
        let names: Names = (0..1000).map(|i| format!("p{i}")).collect();
        let mut table = NameTable::new(names, &Budget::unlimited()).unwrap();
        (1000..3000).for_each(|i| table.push(&format!("p{i}")));
        for i in 0..3000 {
            assert_eq!(table.number(&format!("p{i}")), Some(i));
        }
        assert_eq!(
            (table.number("p"), table.number("p3000"), table.number("")),
            (None, None, None)
        );
        assert_eq!(NameTable::default().number("p"), None);
        let mut one = NameTable::default();
        one.push("x");
        assert_eq!((one.number("x"), one.number("y"), one.len()), (Some(0), None, 1));
    }
}
