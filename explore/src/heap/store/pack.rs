//! States in as few bits as the types of their variables need.
//!
//! A boolean takes one bit, a ranged integer the bits of its range, a reference the bits of the
//! number of objects, a program counter the bits of the number of locations. Numbers of threads and
//! objects come first, so the string says itself where it ends.

use super::bits::{BitReader, BitWriter, put_over, width};
use crate::heap::compile::program::{HeapProgram, ObjectShape, Slot, Type};
use crate::heap::machine::layout::*;
use crate::search::Change;

/// Bits of thread and object counts and of sequence sizes, with an escape for more.
const COUNT_BITS: u32 = 7;
/// Bits of the number of times a lock is held beyond once.
const HOLD_BITS: u32 = 1;

/// How a word is written.
#[derive(Clone, Copy, Debug)]
enum Field {
    /// Value minus the least one, in so many bits.
    Number {
        low: i32,
        bits: u32,
    },
    Reference,
    Lock,
}

impl Field {
    fn of(of: Type) -> Field {
        match of {
            Type::Boolean => Field::Number { low: 0, bits: 1 },
            Type::Int { low, high } => {
                Field::Number { low, bits: width((high as u32).wrapping_sub(low as u32)) }
            }
            Type::Lock => Field::Lock,
            Type::Null | Type::Object(_) => Field::Reference,
        }
    }
}

/// The fields of everything in a program's states.
#[derive(Clone, Debug)]
pub struct Packing {
    globals: Vec<Field>,
    /// By program counter.
    frames: Vec<Vec<Field>>,
    objects: Vec<ObjectFields>,
    /// Types that objects can have, each with its number among them.
    type_codes: Vec<u32>,
    types: Vec<u32>,
    pc_bits: u32,
    type_bits: u32,
    /// Bits of a field's number in a wait mode.
    field_bits: u32,
}

#[derive(Clone, Debug)]
enum ObjectFields {
    Record(Vec<Field>),
    Sequence(Vec<Field>),
}

/// Memory for numbering objects while packing.
#[derive(Debug, Default)]
pub struct PackBuffer {
    /// By offset: 1 + the object's number.
    numbers: Vec<u32>,
    /// By number: 1 + the object's offset.
    offsets: Vec<u32>,
    /// References in a state being unpacked.
    pending: Vec<usize>,
    /// By word of the state packed or unpacked last: where it lies.
    places: Vec<Place>,
}

/// Where a word lies that is written as a number; it has no bits if it is written in another way.
#[derive(Clone, Copy, Debug)]
struct Place {
    position: u32,
    bits: u32,
    low: i32,
}

impl Place {
    const NONE: Place = Place { position: 0, bits: 0, low: 0 };
}

impl Packing {
    pub fn new(program: &HeapProgram) -> Packing {
        let fields = |slots: &[Slot]| slots.iter().map(|slot| Field::of(slot.of)).collect();
        let objects: Vec<_> = program.objects.iter().map(|o| object_fields(&o.shape)).collect();
        let types = program.created_types();
        let mut type_codes = vec![0; objects.len()];
        types.iter().zip(0..).for_each(|(&of, code)| type_codes[of as usize] = code);
        let longest = objects.iter().map(ObjectFields::len).max().unwrap_or(0);
        Packing {
            globals: fields(&program.globals),
            frames: (0..program.locations.len() as u32)
                .map(|pc| fields(&program.body_of(pc).slots))
                .collect(),
            pc_bits: width(program.locations.len() as u32 - 1),
            type_bits: width(types.len().saturating_sub(1) as u32),
            field_bits: width(longest as u32),
            objects,
            type_codes,
            types,
        }
    }

    /// Writes words over those of the state packed or unpacked last; `false` if one of them is not a number.
    #[inline]
    pub fn patch(&self, buffer: &PackBuffer, changes: &[Change], out: &mut [u8]) -> bool {
        changes.iter().all(|&(at, word)| {
            let place = buffer.places.get(at as usize).copied().unwrap_or(Place::NONE);
            put_over(out, place.position, place.bits, word.wrapping_sub(place.low as u32));
            place.bits != 0
        })
    }

    /// Writes the bits of a state over `out`.
    pub fn pack(
        &self,
        layout: &Layout,
        words: &[Word],
        buffer: &mut PackBuffer,
        out: &mut Vec<u8>,
    ) {
        out.clear();
        buffer.places.clear();
        let mut bits = BitWriter::new(out);
        bits.put_small(words[0], COUNT_BITS);
        if is_violation(words) {
            words[1..].iter().for_each(|&word| bits.put(word, 32));
            return bits.finish();
        }
        buffer.number(layout, words);
        let count = buffer.offsets.len() as u32;
        bits.put_small(count, COUNT_BITS);
        buffer.places.extend([Place::NONE; HEAD]);
        let mut packer = Packer {
            bits,
            places: &mut buffer.places,
            numbers: &buffer.numbers,
            reference: width(count),
            thread: width(words[0]),
        };
        packer.fields(&self.globals, &words[HEAD..]);
        for at in layout.threads(words) {
            for frame in layout.frames(words, at) {
                self.pack_frame(layout, &mut packer, &words[frame..]);
            }
        }
        for &offset in &buffer.offsets {
            self.pack_object(&mut packer, &words[heap_start(words) + offset as usize - 1..]);
        }
        packer.bits.finish();
    }

    fn pack_frame(&self, layout: &Layout, packer: &mut Packer<'_, '_>, frame: &[Word]) {
        packer.number(frame[0], 0, self.pc_bits);
        if layout.frame_head > 1 {
            packer.places.push(Place::NONE);
            let mode = frame[1];
            packer.bits.put(mode & MODE_MASK, 2);
            if mode != 0 {
                packer.bits.put_small((mode >> 2 & 0x3FFF) - 1, HOLD_BITS);
                packer.bits.put(mode >> 16, self.field_bits);
                packer.field(Field::Reference, frame[2]);
            } else {
                packer.places.push(Place::NONE);
            }
        }
        packer.fields(&self.frames[frame[0] as usize], &frame[layout.frame_head..]);
    }

    fn pack_object(&self, packer: &mut Packer<'_, '_>, object: &[Word]) {
        packer.bits.put(self.type_codes[object[0] as usize], self.type_bits);
        packer.places.push(Place::NONE);
        match &self.objects[object[0] as usize] {
            ObjectFields::Record(fields) => packer.fields(fields, &object[1..]),
            ObjectFields::Sequence(fields) => {
                packer.bits.put_small(object[SIZE], COUNT_BITS);
                packer.places.push(Place::NONE);
                let elements = object[ELEMENTS..].chunks(fields.len()).take(object[SIZE] as usize);
                elements.for_each(|element| packer.fields(fields, element));
            }
        }
    }

    /// The inverse of [`Packing::pack`].
    pub fn unpack(
        &self,
        layout: &Layout,
        bytes: &[u8],
        buffer: &mut PackBuffer,
        words: &mut Vec<Word>,
    ) {
        let mut bits = BitReader::new(bytes);
        words.clear();
        buffer.places.clear();
        let threads = bits.take_small(COUNT_BITS);
        words.push(threads);
        if threads == VIOLATION {
            words.extend((0..6).map(|_| bits.take(32)));
            return;
        }
        let count = bits.take_small(COUNT_BITS);
        words.push(0);
        buffer.places.extend([Place::NONE; HEAD]);
        buffer.pending.clear();
        let mut unpacker = Unpacker {
            bits,
            words,
            places: &mut buffer.places,
            references: &mut buffer.pending,
            reference: width(count),
            thread: width(threads),
        };
        unpacker.fields(&self.globals);
        for _ in 0..threads {
            // the caller's frame follows
            while self.unpack_frame(layout, &mut unpacker) {}
        }
        let heap = unpacker.words.len();
        unpacker.words[1] = heap as Word;
        buffer.offsets.clear();
        for _ in 0..count {
            buffer.offsets.push((unpacker.words.len() - heap) as u32 + 1);
            self.unpack_object(&mut unpacker);
        }
        for &at in &buffer.pending {
            if let Some(number) = words[at].checked_sub(1) {
                words[at] = buffer.offsets[number as usize];
            }
        }
    }

    /// Unpacks a frame; says whether it is that of a function.
    fn unpack_frame(&self, layout: &Layout, unpacker: &mut Unpacker<'_, '_>) -> bool {
        let pc = unpacker.number(0, self.pc_bits);
        if layout.frame_head > 1 {
            let mode = unpacker.bits.take(2);
            if mode == 0 {
                unpacker.push(0);
                unpacker.push(0);
            } else {
                let count = unpacker.bits.take_small(HOLD_BITS) + 1;
                let field = unpacker.bits.take(self.field_bits);
                unpacker.push(mode | count << 2 | field << 16);
                unpacker.field(Field::Reference);
            }
        }
        unpacker.fields(&self.frames[pc as usize]);
        layout.has_caller[pc as usize]
    }

    fn unpack_object(&self, unpacker: &mut Unpacker<'_, '_>) {
        let of = self.types[unpacker.bits.take(self.type_bits) as usize];
        unpacker.push(of);
        match &self.objects[of as usize] {
            ObjectFields::Record(fields) => unpacker.fields(fields),
            ObjectFields::Sequence(fields) => {
                let size = unpacker.bits.take_small(COUNT_BITS);
                unpacker.push(size);
                (0..size).for_each(|_| unpacker.fields(fields));
            }
        }
    }
}

impl ObjectFields {
    fn len(&self) -> usize {
        match self {
            ObjectFields::Record(fields) | ObjectFields::Sequence(fields) => fields.len(),
        }
    }
}

fn object_fields(shape: &ObjectShape) -> ObjectFields {
    match shape {
        ObjectShape::Record { fields, .. } => {
            ObjectFields::Record(fields.iter().map(|field| Field::of(field.of)).collect())
        }
        ObjectShape::Array(element) | ObjectShape::Set(element) => {
            ObjectFields::Sequence(vec![Field::of(*element)])
        }
        ObjectShape::Table(key, value) => {
            ObjectFields::Sequence(vec![Field::of(*key), Field::of(*value)])
        }
    }
}

impl PackBuffer {
    fn number(&mut self, layout: &Layout, words: &[Word]) {
        let heap = heap_start(words);
        self.offsets.clear();
        self.numbers.clear();
        self.numbers.resize(words.len() - heap, 0);
        for at in layout.objects(words) {
            self.offsets.push((at - heap) as u32 + 1);
            self.numbers[at - heap] = self.offsets.len() as u32;
        }
    }
}

struct Packer<'a, 'b> {
    bits: BitWriter<'b>,
    places: &'a mut Vec<Place>,
    numbers: &'a [u32],
    /// Bits of a reference and of a thread's number.
    reference: u32,
    thread: u32,
}

impl Packer<'_, '_> {
    #[inline]
    fn fields(&mut self, fields: &[Field], words: &[Word]) {
        for (&field, &word) in fields.iter().zip(words) {
            self.field(field, word);
        }
    }

    #[inline]
    fn number(&mut self, word: Word, low: i32, bits: u32) {
        self.places.push(Place { position: self.bits.position(), bits, low });
        self.bits.put(word.wrapping_sub(low as u32), bits);
    }

    #[inline]
    fn field(&mut self, field: Field, word: Word) {
        if let Field::Number { low, bits } = field {
            return self.number(word, low, bits);
        }
        self.places.push(Place::NONE);
        match field {
            Field::Number { .. } => {}
            Field::Reference if word == 0 => self.bits.put(0, self.reference),
            Field::Reference => self.bits.put(self.numbers[word as usize - 1], self.reference),
            Field::Lock => {
                let (_, count) = lock_parts(word);
                self.bits.put(word & 0xFFFF, self.thread);
                if count > 0 {
                    self.bits.put_small(count - 1, HOLD_BITS);
                }
            }
        }
    }
}

struct Unpacker<'a, 'b> {
    bits: BitReader<'b>,
    words: &'a mut Vec<Word>,
    places: &'a mut Vec<Place>,
    /// Positions of references, which are numbers of objects at first.
    references: &'a mut Vec<usize>,
    reference: u32,
    thread: u32,
}

impl Unpacker<'_, '_> {
    fn fields(&mut self, fields: &[Field]) {
        fields.iter().for_each(|&field| self.field(field));
    }

    #[inline]
    fn number(&mut self, low: i32, bits: u32) -> Word {
        self.places.push(Place { position: self.bits.position(), bits, low });
        let word = self.bits.take(bits).wrapping_add(low as u32);
        self.words.push(word);
        word
    }

    /// A word that lies nowhere as a number.
    #[inline]
    fn push(&mut self, word: Word) {
        self.places.push(Place::NONE);
        self.words.push(word);
    }

    #[inline]
    fn field(&mut self, field: Field) {
        match field {
            Field::Number { low, bits } => {
                self.number(low, bits);
            }
            Field::Reference => {
                self.references.push(self.words.len());
                let number = self.bits.take(self.reference);
                self.push(number);
            }
            Field::Lock => {
                let word = match self.bits.take(self.thread) {
                    0 => 0,
                    holder => holder | (self.bits.take_small(HOLD_BITS) + 1) << 16,
                };
                self.push(word);
            }
        }
    }
}
