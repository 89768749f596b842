//! Declarations, sorts and terms of symmetric nets.

use crate::nodes::{AnyNamespace, DEEPEST, Reader};
use crate::{COMPARISONS, NamedSort, Parsed, Term, TermKind, Values, Variable};
use pidlab_syntax::quoted;
use roxmltree::Node;
use std::collections::HashMap;

/// What is declared.
#[derive(Default)]
pub struct Declarations {
    pub sorts: Vec<NamedSort>,
    pub variables: Vec<Variable>,
    sort_of: HashMap<String, usize>,
    variable_of: HashMap<String, usize>,
    /// Sort and position of constants of enumerations.
    constant_of: HashMap<String, (usize, usize)>,
    dot: Option<usize>,
}

impl Declarations {
    /// Adds what a `<declaration>` declares.
    pub fn read<'t>(&mut self, reader: Reader, node: Node<'t, 't>) -> Parsed<()> {
        for structure in reader.elements(node)? {
            match structure.tag_name().name() {
                "structure" => {}
                "text" | "graphics" | "toolspecific" => continue,
                _ => return Err(reader.expected(structure, "<structure>")),
            }
            for list in reader.elements(structure)? {
                if list.tag_name().name() != "declarations" {
                    return Err(reader.expected(list, "<declarations>"));
                }
                for declared in reader.elements(list)? {
                    self.declare(reader, declared)?;
                }
            }
        }
        Ok(())
    }

    fn declare<'t>(&mut self, reader: Reader, node: Node<'t, 't>) -> Parsed<()> {
        let id = reader.attribute(node, "id")?.to_string();
        let name = node.attribute("name").unwrap_or(&id).to_string();
        match node.tag_name().name() {
            "namedsort" => {
                let values = self.values(reader, reader.only(node, "a sort")?)?;
                let number = self.sorts.len();
                if values == Values::Dot {
                    self.dot.get_or_insert(number);
                }
                self.sorts.push(NamedSort { id: id.clone(), name, values });
                unique(reader, node, self.sort_of.insert(id, number))
            }
            "variabledecl" => {
                let sort = self.sort(reader, reader.only(node, "a sort")?)?;
                let number = self.variables.len();
                self.variables.push(Variable { id: id.clone(), name, sort });
                unique(reader, node, self.variable_of.insert(id, number))
            }
            _ => Err(reader.expected(node, "<namedsort> or <variabledecl> (partitions and operators of the user have no counterpart here)")),
        }
    }

    /// The values of a sort that is being declared, which gets the next number.
    fn values<'t>(&mut self, reader: Reader, node: Node<'t, 't>) -> Parsed<Values> {
        match node.tag_name().name() {
            "dot" => Ok(Values::Dot),
            kind @ ("cyclicenumeration" | "finiteenumeration") => {
                let cyclic = kind == "cyclicenumeration";
                let mut constants = Vec::new();
                for constant in reader.elements(node)? {
                    if constant.tag_name().name() != "feconstant" {
                        return Err(reader.expected(constant, "<feconstant>"));
                    }
                    let id = reader.attribute(constant, "id")?;
                    let name = constant.attribute("name").unwrap_or(id);
                    let stands_for = (self.sorts.len(), constants.len());
                    unique(reader, constant, self.constant_of.insert(id.to_string(), stands_for))?;
                    constants.push((id.to_string(), name.to_string()));
                }
                match constants.is_empty() {
                    true => Err(reader.error(node, "expected a constant at least")),
                    false => Ok(Values::Enumeration { cyclic, constants }),
                }
            }
            "finiteintrange" => {
                let (first, last) = (reader.integer(node, "start")?, reader.integer(node, "end")?);
                match first <= last {
                    true => Ok(Values::Range(first, last)),
                    false => Err(reader.error(node, "expected a range whose end is not before its start")),
                }
            }
            "productsort" => {
                let parts = reader.elements(node)?;
                let parts = parts.into_iter().map(|part| self.sort(reader, part));
                Ok(Values::Product(parts.collect::<Parsed<Vec<_>>>()?))
            }
            _ => Err(reader.expected(node, "<dot>, <cyclicenumeration>, <finiteenumeration>, <finiteintrange> or <productsort>")),
        }
    }

    /// A sort where it is used.
    pub fn sort<'t>(&mut self, reader: Reader, node: Node<'t, 't>) -> Parsed<usize> {
        match node.tag_name().name() {
            "usersort" => {
                let id = reader.attribute(node, "declaration")?;
                let known = self.sort_of.get(id).copied();
                known.ok_or_else(|| {
                    let id = quoted(id);
                    reader.error(node, format!("there is no sort {id} declared before this"))
                })
            }
            "dot" => Ok(self.dot()),
            _ => Err(reader.expected(node, "<usersort> or <dot>")),
        }
    }

    fn dot(&mut self) -> usize {
        let fresh = self.sorts.len();
        *self.dot.get_or_insert_with(|| {
            let name = "dot".to_string();
            self.sorts.push(NamedSort { id: name.clone(), name, values: Values::Dot });
            fresh
        })
    }

    /// A term.
    pub fn term<'t>(&mut self, reader: Reader, node: Node<'t, 't>) -> Parsed<Term> {
        self.term_at(reader, node, 0)
    }

    fn term_at<'t>(&mut self, reader: Reader, node: Node<'t, 't>, depth: usize) -> Parsed<Term> {
        if depth > DEEPEST {
            return Err(reader.error(node, format!("terms nest more than {DEEPEST} deep")));
        }
        let span = reader.span(node);
        let kind = self.kind(reader, node, depth)?;
        Ok(Term { kind, span })
    }

    fn kind<'t>(&mut self, reader: Reader, node: Node<'t, 't>, depth: usize) -> Parsed<TermKind> {
        let name = node.tag_name().name();
        if let Some(&(_, comparison)) = COMPARISONS.iter().find(|(known, _)| *known == name) {
            let both = self.subterms(reader, node, depth)?;
            let both: [Term; 2] = both
                .try_into()
                .map_err(|_| reader.error(node, "expected two values to compare"))?;
            let [left, right] = both;
            return Ok(TermKind::Compare(comparison, Box::new((left, right))));
        }
        match name {
            "variable" => self.variable(reader, node),
            "useroperator" => self.constant(reader, node),
            "dotconstant" => Ok(TermKind::Dot),
            "finiteintrangeconstant" | "numberconstant" => {
                let is_range = |part: &Node| part.has_tag_name_any("finiteintrange");
                let bound = |name| move |range| reader.integer(range, name);
                let range = node.children().find(is_range);
                let (first, last) = (range.map(bound("start")), range.map(bound("end")));
                let range = first.transpose()?.zip(last.transpose()?);
                Ok(TermKind::Integer(reader.integer(node, "value")?, range))
            }
            "all" => Ok(TermKind::All(self.sort(reader, reader.only(node, "a sort")?)?)),
            "empty" => Ok(TermKind::Empty),
            "booleanconstant" => match reader.attribute(node, "value")? {
                "true" => Ok(TermKind::Truth(true)),
                "false" => Ok(TermKind::Truth(false)),
                _ => Err(reader.error(node, "expected true or false as `value`")),
            },
            "numberof" => self.number_of(reader, node, depth),
            "tuple" => Ok(TermKind::Tuple(self.subterms(reader, node, depth)?)),
            "add" => Ok(TermKind::Add(self.subterms(reader, node, depth)?)),
            "subtract" => Ok(TermKind::Subtract(self.subterms(reader, node, depth)?)),
            "and" => Ok(TermKind::And(self.subterms(reader, node, depth)?)),
            "or" => Ok(TermKind::Or(self.subterms(reader, node, depth)?)),
            "not" => Ok(TermKind::Not(self.single(reader, node, depth)?)),
            "successor" => Ok(TermKind::Successor(self.single(reader, node, depth)?)),
            "predecessor" => Ok(TermKind::Predecessor(self.single(reader, node, depth)?)),
            _ => Err(reader.expected(node, "a term of a symmetric net, such as <variable>, <tuple>, <numberof>, <add>, <all> or <equality>")),
        }
    }

    fn variable(&self, reader: Reader, node: Node) -> Parsed<TermKind> {
        let id = reader.attribute(node, "refvariable")?;
        let known = self.variable_of.get(id).copied();
        known
            .map(TermKind::Variable)
            .ok_or_else(|| reader.error(node, format!("there is no variable {}", quoted(id))))
    }

    fn constant(&self, reader: Reader, node: Node) -> Parsed<TermKind> {
        let id = reader.attribute(node, "declaration")?;
        let known = self.constant_of.get(id).copied();
        known
            .map(|(sort, position)| TermKind::Constant(sort, position))
            .ok_or_else(|| reader.error(node, format!("there is no constant {}", quoted(id))))
    }

    fn number_of<'t>(
        &mut self,
        reader: Reader,
        node: Node<'t, 't>,
        depth: usize,
    ) -> Parsed<TermKind> {
        let mut parts = self.subterms(reader, node, depth)?;
        let wrong = || reader.error(node, "expected a number and a value in <numberof>");
        let value = parts.pop().ok_or_else(wrong)?;
        let count = match parts.pop().map(|count| count.kind) {
            None => 1,
            Some(TermKind::Integer(count, _)) => u64::try_from(count).map_err(|_| wrong())?,
            Some(_) => return Err(wrong()),
        };
        match parts.is_empty() {
            true => Ok(TermKind::NumberOf(count, Box::new(value))),
            false => Err(wrong()),
        }
    }

    fn single<'t>(
        &mut self,
        reader: Reader,
        node: Node<'t, 't>,
        depth: usize,
    ) -> Parsed<Box<Term>> {
        let mut parts = self.subterms(reader, node, depth)?;
        match (parts.pop(), parts.is_empty()) {
            (Some(part), true) => Ok(Box::new(part)),
            _ => {
                let name = node.tag_name().name();
                Err(reader.error(node, format!("expected one <subterm> in <{name}>")))
            }
        }
    }

    fn subterms<'t>(
        &mut self,
        reader: Reader,
        node: Node<'t, 't>,
        depth: usize,
    ) -> Parsed<Vec<Term>> {
        let mut terms = Vec::new();
        for part in reader.elements(node)? {
            if part.tag_name().name() != "subterm" {
                return Err(reader.expected(part, "<subterm>"));
            }
            let term = reader.only(part, "a term")?;
            terms.push(self.term_at(reader, term, depth + 1)?);
        }
        Ok(terms)
    }
}

fn unique<T>(reader: Reader, node: Node, before: Option<T>) -> Parsed<()> {
    match before {
        None => Ok(()),
        Some(_) => Err(reader.error(node, "the id of this declaration occurs twice")),
    }
}
