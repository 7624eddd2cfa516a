//! A part of a plan: the fields that are selected of one kind of object, in the order of the response.

use async_graphql::{PathSegment, Pos, Variables};

use super::collect::{Chain, Collected};
use super::writer::{Writer, Written};
use crate::declare::guard::Guard;

/// Selected fields; each is of a `Kind`.
pub struct PlannedFields<Kind> {
    fields: Vec<PlannedField<Kind>>,
    /// In the order of the document.
    places: Vec<PlannedPlace>,
    /// Whether a field has several places.
    repeats: bool,
}

struct PlannedField<Kind> {
    /// The name in the response, as `"name":`.
    json: Box<[u8]>,
    key: Box<str>,
    kind: Kind,
}

/// A place of a field, by its index. In the response, the field stands where its first place is that is not skipped
/// (GraphQL, section 6.3.2).
struct PlannedPlace {
    field: usize,
    position: Pos,
    chain: Chain,
}

impl<Kind> PlannedFields<Kind> {
    /// Plans the collected fields. `plan` returns `None` for an unknown field, which no valid document has.
    pub fn new(collected: &[Collected<'_>], mut plan: impl FnMut(&Collected<'_>) -> Option<Kind>) -> Self {
        let (mut fields, mut places) = (Vec::new(), Vec::new());
        for found in collected {
            let Some(kind) = plan(found) else { continue };
            // Behind a place that is never skipped, the field stands nowhere.
            let always = found.places.iter().position(|place| place.chain.is_always());
            for place in &found.places[..always.map_or(found.places.len(), |always| always + 1)] {
                let (position, chain) = (place.field.pos, place.chain.clone());
                places.push((place.number, PlannedPlace { field: fields.len(), position, chain }));
            }
            let key = found.key.as_str();
            fields.push(PlannedField { json: format!("\"{key}\":").into_bytes().into(), key: key.into(), kind });
        }
        places.sort_by_key(|(number, _)| *number);
        let repeats = places.len() > fields.len();
        Self { fields, places: places.into_iter().map(|(_, place)| place).collect(), repeats }
    }

    /// The same, where some fields have guards. `refused` is what a field is to a viewer whom its guard does not allow it.
    pub fn guarded<'g>(
        collected: &[Collected<'_>],
        guard: impl Fn(&str) -> Option<&'g Guard>,
        refused: impl Fn(&str, &Guard) -> Kind,
        mut plan: impl FnMut(&Collected<'_>) -> Option<Kind>,
    ) -> Self {
        if collected.iter().all(|field| guard(field.name()).is_none()) {
            return Self::new(collected, plan);
        }
        let mut each = Vec::new();
        for field in collected {
            match guard(field.name()) {
                None => each.push((field.clone(), None)),
                Some(guard) => {
                    each.push((field.only_if(&guard.name, true), None));
                    each.push((field.only_if(&guard.name, false), Some(refused(field.name(), guard))));
                }
            }
        }
        let (each, kinds): (Vec<_>, Vec<_>) = each.into_iter().unzip();
        let mut kinds = kinds.into_iter();
        Self::new(&each, |field| kinds.next().flatten().or_else(|| plan(field)))
    }

    /// The fields that are selected with these variables.
    fn places(&self, variables: &Variables) -> impl Iterator<Item = (&PlannedField<Kind>, Pos)> {
        let mut known = self.repeats.then(|| vec![false; self.fields.len()]);
        let mut is_first =
            move |field: usize| known.as_mut().is_none_or(|known| !std::mem::replace(&mut known[field], true));
        let places = self.places.iter().filter(|place| place.chain.holds(variables));
        places.filter(move |place| is_first(place.field)).map(|place| (&self.fields[place.field], place.position))
    }

    /// The kinds of the fields that are selected with these variables.
    pub fn selected<'p>(&'p self, variables: &Variables) -> impl Iterator<Item = &'p Kind> {
        self.places(variables).map(|(field, _)| &field.kind)
    }

    /// Writes the value of the only field, without its name.
    pub fn write_only(
        &self,
        writer: &mut Writer<'_>,
        write: impl FnOnce(&mut Writer<'_>, &Kind, Pos) -> Written,
    ) -> Written {
        let only = self.places(writer.variables).next();
        only.map_or(Ok(()), |(field, position)| write(writer, &field.kind, position))
    }

    /// Writes an object. `write` writes a field, which stands at a position in the document.
    pub fn write(
        &self,
        writer: &mut Writer<'_>,
        mut write: impl FnMut(&mut Writer<'_>, &Kind, Pos) -> Written,
    ) -> Written {
        writer.json.push(b'{');
        let begin = writer.json.len();
        for (field, position) in self.places(writer.variables) {
            if writer.json.len() > begin {
                writer.json.push(b',');
            }
            writer.json.extend_from_slice(&field.json);
            let segment = || PathSegment::Field(field.key.to_string());
            writer.within(segment, |writer| write(writer, &field.kind, position))?;
        }
        writer.json.push(b'}');
        Ok(())
    }
}
