//! The checks of mutations and subscriptions.

use std::collections::HashSet;

use crate::declare::declaration::Declaration;
use crate::declare::event::EventField;
use crate::declare::field::FieldKind;
use crate::declare::object::ObjectType;
use crate::declare::write::{WriteField, WriteKind};

/// Finds their objects. Returns the faults.
pub(super) fn find(
    writes: &mut [WriteField],
    events: &mut [EventField],
    find: &impl Fn(&str) -> Option<usize>,
) -> Vec<String> {
    let mut faults = Vec::new();
    for event in events {
        match find(&event.object.name) {
            Some(found) => event.object.index = found,
            None => faults.push(format!("`{}` tells of `{}`, which is not declared", event.name, event.object.name)),
        }
    }
    for write in writes {
        match find(&write.object.name) {
            Some(found) => write.object.index = found,
            None => faults.push(format!("`{}` writes `{}`, which is not declared", write.name, write.object.name)),
        }
    }
    faults
}

/// Finds what mutations say of objects. Returns the faults. A mutation of an object of a catalogue that has one is left out.
pub(super) fn checked(declaration: &mut Declaration) -> Vec<String> {
    let (mut all, mut repeated) = (Vec::new(), HashSet::new());
    let mut writes = std::mem::take(&mut declaration.writes);
    let mut remarks = Vec::new();
    writes.retain_mut(|write| {
        let mut faults = Vec::new();
        let object = declaration.object(write.object.index);
        if !repeated.insert(write.name.clone()) {
            faults.push(format!("two mutations have the name `{}`", write.name));
        }
        if object.tag.is_none() {
            faults.push(format!("`{}` names `{}` by a global id, which it does not have", write.name, object.name));
        }
        if let Some(fault) = found_parent(write, object, declaration) {
            faults.push(fault);
        }
        let fields = write.find_inputs(declaration);
        let name = &write.name;
        for field in write.named().filter(|named| !fields.iter().any(|field| field == named)) {
            faults.push(format!("`{name}` names `{field}`, which its input does not have"));
        }
        let mut inputs: HashSet<&str> = ["id", "orderBy", "clientMutationId"].into();
        for field in fields.iter().filter(|field| !inputs.insert(field.as_str())) {
            faults.push(format!("the input of `{name}` has two fields `{field}`"));
        }
        let payload = write.payload(declaration.parent_of(write));
        let mut returned = HashSet::new();
        for field in payload.iter().filter(|field| !returned.insert(&field.name)) {
            faults.push(format!("the payload of `{name}` has two fields `{}`", field.name));
        }
        let is_known = |field: &str| inputs.contains(field) || payload.iter().any(|known| known.name == field);
        for field in write.described().filter(|field| !is_known(field)) {
            faults.push(format!("`{name}` describes `{field}`, which neither its input nor its payload has"));
        }
        for ty in [write.input_name(), write.payload_name()] {
            if declaration.object_named(&ty).is_some() {
                faults.push(format!("`{name}` needs the type `{ty}`, which is an object"));
            }
        }
        let is_set = |column: &keyset::Column| write.inputs.iter().any(|field| field.has(column.name()));
        // A rule gives its value.
        let is_given = |column: &keyset::Column| is_set(column) || object.ruled_by().any(|of| of == column);
        let is_needed = |column: &&keyset::Column| !column.is_nullable() && !column.has_default() && !is_given(column);
        let needed = object.table.columns().iter().filter(|column| !object.table.key().any(|key| key == *column));
        for column in needed.filter(is_needed).filter(|_| write.kind == WriteKind::Create) {
            faults.push(format!("`{name}` cannot set `{column:?}`, which needs a value"));
        }
        if object.indexed.is_none() {
            all.append(&mut faults);
            return true;
        }
        if write.kind == WriteKind::Update && write.inputs.is_empty() {
            faults.push(format!("`{name}` can change nothing"));
        }
        remarks.extend(faults.first().map(|fault| format!("the mutation `{name}` is left out: {fault}")));
        faults.is_empty()
    });
    declaration.writes = writes;
    declaration.remarks.extend(remarks);
    all
}

/// Finds the relation to the parent of a mutation. Returns the fault.
fn found_parent(write: &mut WriteField, object: &ObjectType, declaration: &Declaration) -> Option<String> {
    let (field, found) = write.parent.as_mut()?;
    let reference = object.references(declaration).into_iter().find(|reference| reference.field == *field);
    let relation = object.field(field).and_then(|field| match field.kind {
        FieldKind::One(relation) => Some(relation),
        _ => None,
    });
    match (reference, relation) {
        (Some(_), Some(relation)) => {
            *found = relation;
            None
        }
        _ => Some(format!("`{}.{field}` is no object with a global id: `{}` cannot lock it", object.name, write.name)),
    }
}

/// Finds what subscriptions say of objects. Returns the faults.
pub(super) fn checked_events(declaration: &mut Declaration) -> Vec<String> {
    let (mut faults, mut names, mut kinds, mut known) = (Vec::new(), HashSet::new(), HashSet::new(), HashSet::new());
    let mut events = std::mem::take(&mut declaration.events);
    for event in &mut events {
        let object = declaration.object(event.object.index);
        event.references = object.references(declaration);
        let name = &event.name;
        if !names.insert(name.clone()) {
            faults.push(format!("two subscriptions have the name `{name}`"));
        }
        if !known.insert((event.object.index, event.kind.done())) {
            faults.push(format!("`{name}` tells the same of `{}` as another subscription", object.name));
        }
        if !kinds.insert(event.event_name().to_owned()) {
            faults.push(format!("two events have the name `{}`", event.event_name()));
        }
        if object.tag.is_none() {
            faults.push(format!("`{name}` tells of `{}`, which has no global id", object.name));
        }
        if declaration.object_named(&event.ty()).is_some() {
            faults.push(format!("`{name}` needs the type `{}`, which is an object", event.ty()));
        }
    }
    declaration.events = events;
    faults
}
