//! A model as lines of text, some of which can be left out.

use crate::shrink::fewest;

/// Lines, each with whether it can be left out.
#[derive(Clone, Debug, Default)]
pub struct Lines(Vec<(String, bool)>);

impl Lines {
    pub(crate) fn fixed(&mut self, line: impl Into<String>) {
        self.0.push((line.into(), false));
    }

    pub(crate) fn optional(&mut self, line: impl Into<String>) {
        self.0.push((line.into(), true));
    }

    /// The text of a model.
    pub fn text(&self) -> String {
        self.0.iter().flat_map(|(line, _)| [line.as_str(), "\n"]).collect()
    }

    pub(crate) fn shrink(&self, wrong: &mut dyn FnMut(&Lines) -> bool) -> Lines {
        let optional: Vec<usize> = (0..self.0.len()).filter(|&line| self.0[line].1).collect();
        let with = |kept: &[usize]| {
            let mut kept = kept.iter().map(|&place| optional[place]).peekable();
            let lines = self.0.iter().enumerate();
            let lines = lines
                .filter(|&(at, &(_, is_optional))| !is_optional || kept.next_if_eq(&at).is_some());
            Lines(lines.map(|(_, line)| line.clone()).collect())
        };
        with(&fewest(optional.len(), |kept| wrong(&with(kept))))
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn leaves_out_what_is_not_needed() {
        let mut lines = Lines::default();
        lines.fixed("begin");
        (0..20).for_each(|number| lines.optional(format!("line {number}.")));
        lines.fixed("end");
        let shrunk = lines.shrink(&mut |lines| {
            let text = lines.text();
            text.contains("line 3.") && text.contains("line 15.")
        });
        assert_eq!(shrunk.text(), "begin\nline 3.\nline 15.\nend\n");
    }
}
