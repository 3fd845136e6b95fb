//! JSON of models, written and read such that a job can be cancelled meanwhile.
//!
//! A model of a million nodes is a document of 100 MB, and writing or reading it takes seconds. The
//! writer ([`to_vec`]) and the reader of raw documents ([`from_chunks`]) check the control every 64
//! KiB, and a list that is read by [`column()`] checks it every 4096 elements. serde cannot pass a
//! control to a list, so [`from_slice`] keeps it in a variable of the thread. Memory for the text
//! is allocated fallibly. Options come from Python as a [`Value`], which [`ValueReader`] reads.

use crate::error::{Error, Result};
use crate::memory;
use crate::parallel::Control;
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{
    DeserializeOwned, Error as _, Expected, IntoDeserializer, SeqAccess, Unexpected, Visitor,
};
use serde::{Deserialize, Deserializer, Serialize, forward_to_deserialize_any};
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::marker::PhantomData;

/// Bytes between two checks of the control.
const CHUNK: usize = 1 << 16;
/// Elements of a list between two checks of the control.
const LIST_CHUNK: usize = 4096;

thread_local! {
    /// The control of the document that this thread reads.
    static READING: RefCell<Option<Control>> = const { RefCell::new(None) };
}

/// An error that ends serde's work. The real error is the one that the control then returns.
fn stop() -> io::Error {
    io::Error::other("stopped")
}

/// A growing text that checks the control.
struct Writer<'a> {
    out: Vec<u8>,
    /// Length at the last check.
    checked: usize,
    control: &'a Control,
}

impl Write for Writer<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.out.len() - self.checked >= CHUNK {
            self.checked = self.out.len();
            self.control.check().map_err(|_| stop())?;
        }
        memory::try_reserve(&mut self.out, bytes.len()).map_err(|_| io::ErrorKind::OutOfMemory)?;
        self.out.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Write a value as JSON. The control is checked every 64 KiB, so a large model can be interrupted,
/// and the text grows fallibly.
///
/// # Errors
/// The errors of the control, [`Error::Memory`] if the text does not fit, or [`Error::Internal`]
/// for a value that serde cannot write.
pub fn to_vec(value: &impl Serialize, control: &Control) -> Result<Vec<u8>> {
    let mut writer = Writer { out: Vec::new(), checked: 0, control };
    match serde_json::to_writer(&mut writer, value) {
        Ok(()) => Ok(writer.out),
        Err(e) => {
            control.check()?;
            let bytes = writer.out.len() as u64;
            let memory = e.io_error_kind() == Some(io::ErrorKind::OutOfMemory);
            Err(if memory { Error::Memory { bytes } } else { Error::Internal(e.to_string()) })
        }
    }
}

/// A reader of bytes that checks the control for each buffer.
struct Reader<'a> {
    bytes: &'a [u8],
    control: &'a Control,
}

impl Read for Reader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.control.check().map_err(|_| stop())?;
        self.bytes.read(buffer)
    }
}

/// The error that ended the reading: the error of the control if it has one, otherwise
/// [`Error::Model`] with the message of serde.
fn reason(error: &serde_json::Error, control: &Control) -> Error {
    control.check().err().unwrap_or_else(|| Error::Model(error.to_string()))
}

/// Read a value from JSON. Its long lists should be read by [`column()`], which checks the control
/// that this function keeps for the thread; other parts of the document are read without a check.
///
/// # Errors
/// The errors of the control, or [`Error::Model`] for a document of another form.
pub fn from_slice<T: DeserializeOwned>(bytes: &[u8], control: &Control) -> Result<T> {
    READING.set(Some(control.clone()));
    let read = serde_json::from_slice(bytes);
    READING.set(None);
    read.map_err(|e| reason(&e, control))
}

/// Read a value whose largest part is kept as raw text, from small chunks of the document. Skipping
/// over raw text calls no [`column()`], so the reader checks the control for each chunk. Documents
/// below 8 MiB are read in one piece.
///
/// # Errors
/// The errors of [`from_slice`].
pub fn from_chunks<T: DeserializeOwned>(bytes: &[u8], control: &Control) -> Result<T> {
    // Skipping 8 MB takes a few milliseconds, and a slice is quicker to read than a stream.
    if bytes.len() < 128 * CHUNK {
        return serde_json::from_slice(bytes).map_err(|e| reason(&e, control));
    }
    let reader = io::BufReader::with_capacity(CHUNK, Reader { bytes, control });
    serde_json::from_reader(reader).map_err(|e| reason(&e, control))
}

/// Read a list with checks of the control, for serde's `deserialize_with`. The control is checked,
/// and memory is reserved, every 4096 elements; without a control of this thread (outside
/// [`from_slice`]) the list is read without checks.
pub fn column<'de, D, T>(deserializer: D) -> std::result::Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct ListVisitor<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<A: SeqAccess<'de>>(
            self,
            mut items: A,
        ) -> std::result::Result<Vec<T>, A::Error> {
            let mut out = Vec::new();
            while let Some(item) = items.next_element()? {
                if out.len() % LIST_CHUNK == 0 {
                    let check = |c: &RefCell<Option<Control>>| {
                        c.borrow().as_ref().is_none_or(|control| control.check().is_ok())
                    };
                    if !READING.with(check) || memory::try_reserve(&mut out, LIST_CHUNK).is_err() {
                        return Err(A::Error::custom("stopped"));
                    }
                }
                out.push(item);
            }
            Ok(out)
        }
    }
    deserializer.deserialize_seq(ListVisitor(PhantomData))
}

/// A value as the types of options read it. A struct must be an object and an enum must be a word.
/// [`Value`] itself would also read structs from lists and enums from objects, and serde_json's
/// code for these forms would be compiled for each type.
pub struct ValueReader(pub Value);

impl ValueReader {
    fn read_list<'de, V: Visitor<'de>>(
        list: Vec<Value>,
        visitor: V,
    ) -> serde_json::Result<V::Value> {
        let mut items = SeqDeserializer::new(list.into_iter().map(ValueReader));
        let read = visitor.visit_seq(&mut items)?;
        items.end().map(|()| read)
    }

    fn read_object<'de, V: Visitor<'de>>(
        object: Map<String, Value>,
        visitor: V,
    ) -> serde_json::Result<V::Value> {
        let fields = object.into_iter().map(|(name, value)| (name, ValueReader(value)));
        visitor.visit_map(MapDeserializer::new(fields))
    }

    /// The error of a value of another type than the visitor expects.
    fn unexpected(&self, visitor: &dyn Expected) -> serde_json::Error {
        serde_json::Error::invalid_type(Unexpected::Other(&self.0.to_string()), visitor)
    }
}

impl<'de> IntoDeserializer<'de, serde_json::Error> for ValueReader {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for ValueReader {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> serde_json::Result<V::Value> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(flag),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(number), ..) => visitor.visit_u64(number),
                (_, Some(number), _) => visitor.visit_i64(number),
                (.., number) => visitor.visit_f64(number.unwrap_or(f64::NAN)),
            },
            Value::String(text) => visitor.visit_string(text),
            Value::Array(list) => Self::read_list(list, visitor),
            Value::Object(object) => Self::read_object(object, visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> serde_json::Result<V::Value> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> serde_json::Result<V::Value> {
        match self.0 {
            Value::Object(object) => Self::read_object(object, visitor),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> serde_json::Result<V::Value> {
        match self.0 {
            Value::String(word) => visitor.visit_enum(word.into_deserializer()),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map identifier ignored_any
    }
}

/// Read a field that is no large part of a document by way of [`ValueReader`], for serde's
/// `deserialize_with`: types that Python gives as options are then compiled for one format.
pub fn via_value<'de, D, T>(deserializer: D) -> std::result::Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    T::deserialize(ValueReader(Value::deserialize(deserializer)?)).map_err(D::Error::custom)
}

/// For serde's `with`: a field that holds the text of a JSON value. In the document the field is
/// that value itself, not a quoted text. Empty text stands for the empty object.
pub mod text {
    use serde::ser::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::value::RawValue;
    use std::result::Result;

    const EMPTY: &str = "{}";

    /// Write the value of a text into the document. The text is parsed once, to check that it is
    /// JSON; empty text is written as `{}`.
    pub fn serialize<S: Serializer>(text: &str, to: S) -> Result<S::Ok, S::Error> {
        let text = if text.is_empty() { EMPTY } else { text };
        RawValue::from_string(text.to_owned()).map_err(S::Error::custom)?.serialize(to)
    }

    /// Read a value of any type as its text. The text is kept as it stands in the document, except
    /// that `{}` becomes the empty text, so that [`serialize`] and this function are inverse.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
        let value = Box::<RawValue>::deserialize(from)?;
        Ok(if value.get() == EMPTY { String::new() } else { value.get().to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize, Deserialize, Debug, PartialEq)]
    struct Body {
        #[serde(deserialize_with = "column")]
        values: Vec<f64>,
    }

    #[test]
    fn what_is_written_is_read_again_and_a_cancel_ends_both() {
        let body = Body { values: (0..2_000_000).map(f64::from).collect() };
        let control = Control::new(1);
        let bytes = to_vec(&body, &control).unwrap();
        assert_eq!(bytes, serde_json::to_vec(&body).unwrap());
        assert_eq!(from_slice::<Body>(&bytes, &control).unwrap(), body);
        let raw: Box<serde_json::value::RawValue> = from_chunks(&bytes, &control).unwrap();
        assert_eq!(raw.get().as_bytes(), bytes);
        assert!(matches!(from_slice::<Body>(b"{\"values\":3}", &control), Err(Error::Model(_))));
        control.cancel();
        assert_eq!(to_vec(&body, &control), Err(Error::Cancelled));
        assert_eq!(from_slice::<Body>(&bytes, &control), Err(Error::Cancelled));
        let stopped = from_chunks::<Box<serde_json::value::RawValue>>(&bytes, &control);
        assert!(matches!(stopped, Err(Error::Cancelled)));
    }
}
