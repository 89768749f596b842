//! Constants, record types with single inheritance, and the types of arrays, sets and tables.

use super::program::{ObjectId, ObjectShape, ObjectType, Slot, Type, is_subtype};
use crate::heap::language::ast::{
    self, Binary, Expr, ExprKind, Link, LinkKind, Name, TypeKind, TypeName,
};
use crate::source::{Diagnostic, Source, Span};
use pidlab_syntax::Parsed;
use rustc_hash::{FxHashMap, FxHashSet};

/// Values for constants, given from outside: `--set N=5`.
pub type Settings = [(String, i64)];

/// What is wrong with a constant expression; where it stands in the text is found out only if
/// somebody asks.
struct Wrong {
    span: Span,
    message: String,
}

impl Wrong {
    fn not_constant(span: Span) -> Wrong {
        Wrong { span, message: "expected a constant integer".into() }
    }
}

fn fit(value: i64, span: Span) -> Result<i32, Wrong> {
    let message = || format!("{value} does not fit into 32 bits");
    i32::try_from(value).map_err(|_| Wrong { span, message: message() })
}

pub struct Types<'s> {
    pub source: &'s Source,
    pub constants: Vec<(String, i32)>,
    constant_values: FxHashMap<String, i32>,
    pub objects: Vec<ObjectType>,
    by_name: FxHashMap<String, ObjectId>,
    /// Types of extensions, which lie behind the records.
    extensions: std::ops::Range<ObjectId>,
}

impl<'s> Types<'s> {
    pub fn declare(
        source: &'s Source,
        system: &ast::System,
        settings: &Settings,
    ) -> Parsed<Types<'s>> {
        let mut types = Types {
            source,
            constants: Vec::new(),
            constant_values: FxHashMap::default(),
            objects: Vec::new(),
            by_name: FxHashMap::default(),
            extensions: 0..0,
        };
        types.declare_constants(system, settings)?;
        types.declare_records(&system.records)?;
        types.declare_extensions(&system.extensions)?;
        for record in &system.records {
            types.declare_fields(&record.name, &record.fields)?;
        }
        types.inherit_fields(&system.records)?;
        for extension in &system.extensions {
            types.declare_fields(&extension.name, &extension.fields)?;
        }
        types.check_fields(&system.records)?;
        Ok(types)
    }

    fn declare_constants(&mut self, system: &ast::System, settings: &Settings) -> Parsed<()> {
        self.check_settings(system, settings)?;
        for constant in &system.constants {
            if self.constant(&constant.name.text).is_some() {
                return Err(self.twice("constant", &constant.name));
            }
            let set = settings.iter().rev().find(|(name, _)| *name == constant.name.text);
            let value = match (set, &constant.value) {
                (Some(&(_, value)), _) => self.fit(value, constant.name.span)?,
                (None, Some(value)) => self.evaluate(value)?,
                (None, None) => {
                    let name = &constant.name.text;
                    let message =
                        format!("constant {name} has no value; set one, for example {name}=3");
                    return Err(self.source.error(constant.name.span, message));
                }
            };
            self.constants.push((constant.name.text.clone(), value));
            self.constant_values.insert(constant.name.text.clone(), value);
        }
        Ok(())
    }

    fn check_settings(&self, system: &ast::System, settings: &Settings) -> Parsed<()> {
        for (name, _) in settings {
            if system.constants.iter().all(|constant| constant.name.text != *name) {
                let known: Vec<_> = system.constants.iter().map(|c| c.name.text.as_str()).collect();
                let known = if known.is_empty() { "none".into() } else { known.join(", ") };
                let message =
                    format!("the program has no constant {name} to set; its constants: {known}");
                return Err(self.source.error(system.name.span, message));
            }
        }
        Ok(())
    }

    pub fn constant(&self, name: &str) -> Option<i32> {
        self.constant_values.get(name).copied()
    }

    fn fit(&self, value: i64, span: Span) -> Parsed<i32> {
        fit(value, span).map_err(|wrong| self.source.error(wrong.span, wrong.message))
    }

    /// The value of a constant integer expression.
    pub fn evaluate(&self, expr: &Expr) -> Parsed<i32> {
        self.value_of(expr).map_err(|wrong| self.source.error(wrong.span, wrong.message))
    }

    /// The value of an expression, if it is a constant integer.
    pub fn known(&self, expr: &Expr) -> Option<i32> {
        self.value_of(expr).ok()
    }

    fn value_of(&self, expr: &Expr) -> Result<i32, Wrong> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Number(value) => fit(*value, span),
            ExprKind::Name(name) => self.constant(name).ok_or_else(|| {
                let message = format!("`{name}` is not a constant declared above");
                Wrong { span, message }
            }),
            ExprKind::Negate(inner) => fit(-i64::from(self.value_of(inner)?), span),
            ExprKind::Chain(first, links) => {
                let mut value = self.value_of(first)?;
                for link in links {
                    value = self.apply(value, link)?;
                }
                Ok(value)
            }
            _ => Err(Wrong::not_constant(span)),
        }
    }

    fn apply(&self, left: i32, Link { kind, span }: &Link) -> Result<i32, Wrong> {
        let span = *span;
        let LinkKind::Binary(operator, right) = kind else { return Err(Wrong::not_constant(span)) };
        let (left, right) = (i64::from(left), i64::from(self.value_of(right)?));
        let value = match operator {
            Binary::Add => left + right,
            Binary::Subtract => left - right,
            Binary::Multiply => left * right,
            Binary::Divide | Binary::Remainder if right == 0 => {
                return Err(Wrong { span, message: "division by zero".into() });
            }
            Binary::Divide => left / right,
            Binary::Remainder => left % right,
            _ => return Err(Wrong::not_constant(span)),
        };
        fit(value, span)
    }

    fn declare_records(&mut self, records: &[ast::Record]) -> Parsed<()> {
        for (id, record) in records.iter().enumerate() {
            if self.by_name.insert(record.name.text.clone(), id as ObjectId).is_some() {
                return Err(self.twice("record", &record.name));
            }
        }
        let mut top: Option<&ast::Record> = None;
        for record in records {
            let parent = self.parent_of(record, &mut top)?;
            let shape = ObjectShape::Record { parent, fields: Vec::new() };
            self.objects.push(ObjectType { name: record.name.text.clone(), shape });
        }
        records.iter().try_for_each(|record| self.check_inheritance(record))
    }

    fn parent_of<'a>(
        &self,
        record: &'a ast::Record,
        top: &mut Option<&'a ast::Record>,
    ) -> Parsed<Option<ObjectId>> {
        match (&record.extends, record.top) {
            (Some(parent), false) => self.record(parent).map(Some),
            (Some(parent), true) => {
                Err(self.source.error(parent.span, "the top record extends nothing"))
            }
            (None, false) => {
                let name = &record.name.text;
                let message = format!(
                    "record {name} must extend another one; only the `top record` does not"
                );
                Err(self.source.error(record.name.span, message))
            }
            (None, true) => match top.replace(record) {
                None => Ok(None),
                Some(first) => {
                    let message =
                        format!("there is one top record only, and {} is it", first.name.text);
                    Err(self.source.error(record.name.span, message))
                }
            },
        }
    }

    fn check_inheritance(&self, record: &ast::Record) -> Parsed<()> {
        let own = self.by_name[&record.name.text];
        let (mut at, mut before) = (own, own);
        for _ in 0..=self.objects.len() {
            match self.objects[at as usize].shape {
                ObjectShape::Record { parent: Some(parent), .. } => (before, at) = (at, parent),
                _ => return Ok(()),
            }
            if at == own {
                break;
            }
        }
        let message = format!("record {} extends itself", record.name.text);
        let through = &self.objects[before as usize].name;
        Err(self.source.error(record.name.span, format!("{message} (through {through})")))
    }

    /// An extension is an object of a type that nothing else extends.
    fn declare_extensions(&mut self, extensions: &[ast::Extension]) -> Parsed<()> {
        let first = self.objects.len() as ObjectId;
        for extension in extensions {
            let name = &extension.name;
            let id = self.objects.len() as ObjectId;
            if self.by_name.insert(name.text.clone(), id).is_some() {
                return Err(self.twice("record or extension", name));
            }
            let shape = ObjectShape::Record { parent: None, fields: Vec::new() };
            self.objects.push(ObjectType { name: name.text.clone(), shape });
            let mut known: FxHashSet<&String> = FxHashSet::default();
            for field in &extension.fields {
                if !known.insert(&field.name.text) {
                    return Err(self.twice("field", &field.name));
                }
            }
        }
        self.extensions = first..self.objects.len() as ObjectId;
        Ok(())
    }

    pub fn is_extension(&self, id: ObjectId) -> bool {
        self.extensions.contains(&id)
    }

    fn declare_fields(&mut self, record: &Name, fields: &[ast::Variable]) -> Parsed<()> {
        let id = self.by_name[&record.text];
        let mut own = Vec::with_capacity(fields.len());
        for field in fields {
            own.push(Slot { name: field.name.text.clone(), of: self.resolve(&field.of)? });
        }
        if let ObjectShape::Record { fields, .. } = &mut self.objects[id as usize].shape {
            *fields = own;
        }
        Ok(())
    }

    /// Puts inherited fields in front; every chain of parents ends, as checked before.
    fn inherit_fields(&mut self, records: &[ast::Record]) -> Parsed<()> {
        let own: Vec<(Option<ObjectId>, Vec<Slot>)> =
            self.objects.iter().map(|object| record_parts(&object.shape)).collect();
        for (id, record) in records.iter().enumerate() {
            let mut ancestors = Vec::new();
            let mut at = Some(id as ObjectId);
            while let Some(parent) = at {
                ancestors.push(parent);
                at = own[parent as usize].0;
            }
            // all fields of long chains together are as many as the square of their text
            self.source.poll(0, record.name.span)?;
            if let ObjectShape::Record { fields, .. } = &mut self.objects[id].shape {
                let lines = ancestors.iter().rev().flat_map(|&at| &own[at as usize].1);
                *fields = lines.cloned().collect();
            }
        }
        Ok(())
    }

    fn check_fields(&self, records: &[ast::Record]) -> Parsed<()> {
        for record in records {
            let all = self.fields(self.by_name[&record.name.text]);
            let inherited = all[..all.len() - record.fields.len()].iter().map(|slot| &slot.name);
            let mut known: FxHashSet<&String> = inherited.collect();
            for field in &record.fields {
                if !known.insert(&field.name.text) {
                    return Err(self.twice("field", &field.name));
                }
            }
        }
        Ok(())
    }

    pub fn fields(&self, id: ObjectId) -> &[Slot] {
        match &self.objects[id as usize].shape {
            ObjectShape::Record { fields, .. } => fields,
            _ => &[],
        }
    }

    pub fn record(&self, name: &Name) -> Parsed<ObjectId> {
        self.by_name.get(&name.text).copied().ok_or_else(|| {
            let is_record = |known: &&str| !known.contains(['[', '<']);
            let mut known: Vec<&str> =
                self.by_name.keys().map(String::as_str).filter(is_record).collect();
            known.sort_unstable();
            let message = match known.is_empty() {
                true => format!("there is no record {}", name.text),
                false => format!("there is no record {}; known: {}", name.text, known.join(", ")),
            };
            self.source.error(name.span, message)
        })
    }

    pub fn resolve(&mut self, of: &TypeName) -> Parsed<Type> {
        Ok(match &of.kind {
            TypeKind::Boolean => Type::Boolean,
            TypeKind::Lock => Type::Lock,
            TypeKind::Int(None) => Type::INT,
            TypeKind::Int(Some(range)) => self.int_range(&range.0, &range.1, of.span)?,
            TypeKind::Record(name) => {
                Type::Object(self.record(&Name { text: name.clone(), span: of.span })?)
            }
            TypeKind::Array(element, times) => self.array_of(element, *times)?,
            TypeKind::Set(element) => {
                let element = self.plain(element)?;
                self.intern(format!("set<{}>", self.type_name(element)), ObjectShape::Set(element))
            }
            TypeKind::Table(key, value) => {
                let (key, value) = (self.plain(key)?, self.plain(value)?);
                let name = format!("table<{}, {}>", self.type_name(key), self.type_name(value));
                self.intern(name, ObjectShape::Table(key, value))
            }
        })
    }

    /// The type of arrays with so many levels.
    pub fn array_of(&mut self, element: &TypeName, levels: u32) -> Parsed<Type> {
        let element = self.plain(element)?;
        Ok((0..levels).fold(element, |element, _| self.array(element)))
    }

    fn array(&mut self, element: Type) -> Type {
        self.intern(format!("{}[]", self.type_name(element)), ObjectShape::Array(element))
    }

    fn int_range(&self, low: &Expr, high: &Expr, span: Span) -> Parsed<Type> {
        let (low, high) = (self.evaluate(low)?, self.evaluate(high)?);
        if low > high {
            let message = format!("the range {low}..{high} is empty");
            return Err(self.source.error(span, message));
        }
        Ok(Type::Int { low, high })
    }

    /// A type that can be an element: locks live in fields of records only.
    pub fn plain(&mut self, of: &TypeName) -> Parsed<Type> {
        match self.resolve(of)? {
            Type::Lock => {
                let message = "a lock can only be a field of a record; put it into one";
                Err(self.source.error(of.span, message))
            }
            other => Ok(other),
        }
    }

    fn intern(&mut self, name: String, shape: ObjectShape) -> Type {
        let fresh = self.objects.len() as ObjectId;
        let id = *self.by_name.entry(name.clone()).or_insert(fresh);
        if id == fresh {
            self.objects.push(ObjectType { name, shape });
        }
        Type::Object(id)
    }

    pub fn type_name(&self, of: Type) -> String {
        match of {
            Type::Boolean => "boolean".into(),
            Type::INT => "int".into(),
            Type::Int { low, high } => format!("int({low}..{high})"),
            Type::Lock => "lock".into(),
            Type::Null => "null".into(),
            Type::Object(id) => self.objects[id as usize].name.clone(),
        }
    }

    /// Whether a value of type `from` may be put where `to` is asked for.
    pub fn fits(&self, from: Type, to: Type) -> bool {
        match (from, to) {
            (Type::Int { .. }, Type::Int { .. }) | (Type::Null, Type::Object(_)) => true,
            (Type::Object(sub), Type::Object(sup)) => is_subtype(&self.objects, sub, sup),
            _ => from == to && from != Type::Lock,
        }
    }

    pub fn twice(&self, what: &str, name: &Name) -> Diagnostic {
        self.source.error(name.span, format!("the {what} {} is declared twice", name.text))
    }
}

fn record_parts(shape: &ObjectShape) -> (Option<ObjectId>, Vec<Slot>) {
    match shape {
        ObjectShape::Record { parent, fields } => (*parent, fields.clone()),
        _ => (None, Vec::new()),
    }
}
