//! A compiled program: object and thread layouts, locations, and code for a small stack machine.
//!
//! Locations of all threads are numbered together, so a program counter tells its thread type.

use crate::heap::language::ast::PropertyKind;
use crate::source::{Source, Span};

/// Number into [`HeapProgram::objects`].
pub type ObjectId = u32;
/// Number into [`HeapProgram::locations`].
pub type Pc = u32;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Boolean,
    Int {
        low: i32,
        high: i32,
    },
    Lock,
    /// The type of `null`.
    Null,
    Object(ObjectId),
}

impl Type {
    pub const INT: Type = Type::Int { low: i32::MIN, high: i32::MAX };

    pub fn is_reference(self) -> bool {
        matches!(self, Type::Null | Type::Object(_))
    }

    /// The word a variable starts with: 0, or the bound nearest to it.
    pub fn default_word(self) -> u32 {
        match self {
            Type::Int { low, high } => 0.clamp(low, high) as u32,
            _ => 0,
        }
    }
}

/// A named word: a field, a global variable or a local one.
#[derive(Clone, Debug)]
pub struct Slot {
    pub name: String,
    pub of: Type,
}

#[derive(Clone, Debug)]
pub struct ObjectType {
    pub name: String,
    pub shape: ObjectShape,
}

/// What lies behind an object's type word.
#[derive(Clone, Debug)]
pub enum ObjectShape {
    /// Fields, the inherited ones first.
    Record { parent: Option<ObjectId>, fields: Vec<Slot> },
    /// Length, then elements.
    Array(Type),
    /// Size, then elements without order.
    Set(Type),
    /// Size, then pairs of key and value without order.
    Table(Type, Type),
}

/// Code with variables of its own: a type of threads, or a function.
#[derive(Clone, Debug)]
pub struct Body {
    pub name: String,
    pub kind: BodyKind,
    pub parameters: usize,
    /// Parameters, then local variables.
    pub slots: Vec<Slot>,
    /// Initial words of the local variables.
    pub initial: Vec<u32>,
    pub entry: Pc,
    /// In the order they are tried.
    pub handlers: Vec<Handler>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    Thread,
    /// With the type of its result, if it has one.
    Function(Option<Type>),
}

impl Body {
    pub fn is_function(&self) -> bool {
        matches!(self.kind, BodyKind::Function(_))
    }
}

/// `catch`: where exceptions of a type thrown at some locations of a body go.
#[derive(Clone, Debug)]
pub struct Handler {
    pub of: ObjectId,
    /// The local variable that gets the exception.
    pub variable: u32,
    /// Sorted.
    pub at: Vec<Pc>,
    pub target: Pc,
}

#[derive(Clone, Debug)]
pub struct Location {
    pub name: String,
    /// Number into [`HeapProgram::bodies`].
    pub body: usize,
    pub atomic: bool,
    /// Range of [`HeapProgram::transformations`].
    pub first: u32,
    pub end: u32,
    /// For the place of a call under way, which is not a place of the text: how it goes on.
    pub call: Option<Call>,
}

/// A call under way, as its caller sees it.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// Where the call stands.
    pub from: Pc,
    /// The local variable for the result.
    pub result: Option<u32>,
    pub target: Pc,
}

#[derive(Clone, Copy, Debug)]
pub struct Transformation {
    pub from: Pc,
    /// Code of the guard; leaves one boolean.
    pub guard: Option<u32>,
    pub body: u32,
    pub exit: Exit,
    pub span: Span,
}

/// How a transformation ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Goto(Pc),
    /// The thread ends, or the function returns to its caller; a result is on the stack.
    Return,
    /// A new frame; the arguments are on the stack.
    Invoke {
        callee: Callee,
        back: Pc,
    },
    /// The exception is on the stack.
    Throw,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// Number into [`HeapProgram::bodies`].
    Function(u32),
    /// By the type of the first argument, in a table of [`HeapProgram::virtuals`].
    Virtual(u32),
}

/// Which function is meant, by type of the first argument.
#[derive(Clone, Debug)]
pub struct VirtualTable {
    /// How many, the one whose type decides included.
    pub parameters: usize,
    /// By type: number into [`HeapProgram::bodies`].
    pub functions: Vec<Option<u32>>,
}

/// A property of all states.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name, or its text.
    pub name: String,
    pub kind: PropertyKind,
    /// Code of the condition, as of a guard.
    pub condition: u32,
}

/// A compiled program: [`compile`](super::compile) makes it of text.
#[derive(Debug)]
pub struct HeapProgram {
    /// As the text calls it.
    pub name: String,
    /// The text.
    pub source: Source,
    /// Constants with the values in force.
    pub constants: Vec<(String, i32)>,
    pub(crate) objects: Vec<ObjectType>,
    pub(crate) globals: Vec<Slot>,
    pub(crate) global_values: Vec<u32>,
    /// Types of threads, then functions.
    pub(crate) bodies: Vec<Body>,
    pub(crate) virtuals: Vec<VirtualTable>,
    pub(crate) properties: Vec<Property>,
    pub(crate) main: usize,
    pub(crate) locations: Vec<Location>,
    pub(crate) transformations: Vec<Transformation>,
    pub(crate) code: Vec<Op>,
    /// Where each operation comes from.
    pub(crate) spans: Vec<Span>,
    /// Words in a frame before its variables: program counter, and two more if `wait` is used.
    pub(crate) frame_head: usize,
    pub(crate) has_atomic: bool,
}

impl HeapProgram {
    pub(crate) fn body_of(&self, pc: Pc) -> &Body {
        &self.bodies[self.locations[pc as usize].body]
    }

    /// Words of a frame at `pc`.
    #[inline]
    pub(crate) fn frame_size(&self, pc: Pc) -> usize {
        self.frame_head + self.body_of(pc).slots.len()
    }

    pub(crate) fn uses_wait(&self) -> bool {
        self.frame_head > 1
    }

    /// `Philosopher.loc0`, with a number behind it where the location has several transformations.
    pub fn transformation_name(&self, number: u32) -> String {
        let from = self.transformations[number as usize].from;
        let location = &self.locations[from as usize];
        let base = format!("{}.{}", self.bodies[location.body].name, location.name);
        match location.end - location.first {
            1 => base,
            _ => format!("{base}#{}", number - location.first + 1),
        }
    }

    /// The name of a location; those of functions have the function's name before them.
    pub(crate) fn location_name(&self, pc: Pc) -> String {
        let location = &self.locations[pc as usize];
        let body = &self.bodies[location.body];
        match body.is_function() {
            true => format!("{}.{}", body.name, location.name),
            false => location.name.clone(),
        }
    }

    pub(crate) fn line(&self, span: Span) -> usize {
        self.source.line_of(span)
    }

    pub(crate) fn text(&self, span: Span) -> &str {
        self.source.text.get(span.start..span.end).unwrap_or("")
    }

    /// Whether objects of type `sub` may stand where `sup` is asked for.
    pub(crate) fn is_subtype(&self, sub: ObjectId, sup: ObjectId) -> bool {
        is_subtype(&self.objects, sub, sup)
    }

    /// The name of an object's type, given its first word.
    pub fn object_name(&self, word: u32) -> &str {
        &self.objects[word as usize].name
    }
}

pub fn is_subtype(objects: &[ObjectType], mut sub: ObjectId, sup: ObjectId) -> bool {
    while sub != sup {
        match objects[sub as usize].shape {
            ObjectShape::Record { parent: Some(parent), .. } => sub = parent,
            _ => return false,
        }
    }
    true
}

/// An operation of the stack machine. References pop before values: `a.f := e` pushes a, then e.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    Push(i32),
    LoadLocal(u32),
    LoadGlobal(u32),
    LoadTemp(u32),
    LoadField(u32),
    /// Fused `LoadLocal`, `LoadField`.
    LoadLocalField {
        local: u16,
        field: u16,
    },
    LoadElement,
    StoreLocal(u32),
    StoreGlobal(u32),
    StoreTemp(u32),
    StoreField(u32),
    StoreElement,
    /// Fused store of a constant into a field of the object a local refers to.
    SetLocalField {
        local: u16,
        field: u16,
        value: u16,
    },
    /// A reference in the state was overwritten: objects may be garbage or need new numbers.
    Touch,
    /// The value on top must lie in this range.
    Range {
        low: i32,
        high: i32,
    },
    Not,
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Equal,
    Differ,
    Less,
    LessEqual,
    Jump(u32),
    /// Pops.
    JumpIfFalse(u32),
    /// Jumps with `false` left on the stack, or pops and goes on.
    AndThen(u32),
    /// Jumps with `true` left on the stack, or pops and goes on.
    OrElse(u32),
    New(ObjectId),
    /// Pops one length a level, the innermost first.
    NewArray {
        of: ObjectId,
        levels: u32,
    },
    InstanceOf(ObjectId),
    Cast(ObjectId),
    /// Pops high and low, pushes any integer in between.
    Choose,
    Start(u32),
    Assert,
    /// Blocks unless the value on top is true.
    Assume,
    /// Ends the body; the exception is on the stack.
    Throw,
    /// The reference on top must not be null.
    NotNull,
    /// How many threads run at a location.
    CountAt(Pc),
    /// How many frames there are of a thread type or function.
    CountFrames(u32),
    /// How many objects there are of a type and those that extend it.
    CountObjects(ObjectId),
    Lock(u32),
    Unlock(u32),
    Wait(u32),
    Notify(u32),
    NotifyAll(u32),
    /// Whether the thread itself holds the lock.
    Held(u32),
    /// Whether the thread could take the lock now.
    Available(u32),
    Length,
    Contains,
    AddElement,
    RemoveElement,
    /// Any element of a set; blocks on an empty one.
    Pick,
    Put,
    Get,
    End,
}

impl HeapProgram {
    /// The types that some operation makes objects of, in order.
    pub fn created_types(&self) -> Vec<ObjectId> {
        let mut found: Vec<ObjectId> = Vec::new();
        for op in &self.code {
            match *op {
                Op::New(of) => found.push(of),
                Op::NewArray { of, levels } => found.extend(self.levels(of, levels)),
                _ => {}
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Types of arrays inside arrays, the outermost first.
    pub(crate) fn levels(&self, of: ObjectId, levels: u32) -> impl Iterator<Item = ObjectId> {
        let inner = |&of: &ObjectId| match self.objects[of as usize].shape {
            ObjectShape::Array(Type::Object(element)) => Some(element),
            _ => None,
        };
        std::iter::successors(Some(of), inner).take(levels as usize)
    }
}
