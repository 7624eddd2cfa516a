//! The checks of a declaration: all of its faults are listed at once.

use std::collections::HashSet;
use std::sync::Arc;

use keyset::Kind;

use super::declaration::{Declaration, Declaring};
use super::field::{Field, FieldKind};
use super::infer;
use super::names::screaming;
use super::object::{Change, ObjectType};
use super::relation::Relation;
use super::resolver::{Resolver, Returned};
use super::root::RootKind;
use crate::order::RelatedSort;

mod writes;

/// The faults of a declaration: each is a line.
#[derive(Debug, thiserror::Error)]
#[error("the declaration has faults:\n{}", .0.join("\n"))]
pub struct DeclarationError(Vec<String>);

impl DeclarationError {
    /// These faults.
    pub fn of(faults: Vec<String>) -> Self {
        Self(faults)
    }

    /// The faults.
    pub fn faults(&self) -> &[String] {
        &self.0
    }
}

impl Declaring {
    /// Checks what is declared.
    ///
    /// # Errors
    ///
    /// [`DeclarationError`] with all faults.
    pub fn check(mut self) -> std::result::Result<Arc<Declaration>, DeclarationError> {
        infer::infer(&mut self.objects, &mut self.roots);
        let mut faults = changed(&mut self.objects);
        faults.extend(self.place_guards());
        let Self { query_type, mut objects, mut roots, mut writes, mut events, .. } = self;
        let names: Vec<String> = objects.iter().map(|object| object.name.clone()).collect();
        let tables: Vec<_> = objects.iter().map(|object| object.table.clone()).collect();
        let ruled: Vec<bool> = objects.iter().map(ObjectType::has_rule).collect();
        let find = |name: &str| names.iter().position(|known| known == name);
        let mut repeated = HashSet::new();
        for name in names.iter().filter(|name| !repeated.insert(name.as_str())) {
            faults.push(format!("two objects have the name `{name}`"));
        }
        let mut tags = HashSet::new();
        for object in &mut objects {
            let name = object.name.clone();
            if object.tag.is_some_and(|tag| !tags.insert(tag)) {
                faults.push(format!("`{name}` has the tag of another object in its ids"));
            }
            if object.table.key().next().is_none() {
                faults.push(format!("the table of `{name}` has no primary key"));
                continue;
            }
            for relation in &mut object.relations {
                let Some(related) = &mut relation.object else { continue };
                match find(&related.name) {
                    Some(index) => {
                        related.index = index;
                        if relation.to.is_empty() {
                            relation.to = tables[index].key().cloned().collect();
                        }
                        relation.table = Some(tables[index].clone());
                        relation.can_hide = ruled[index];
                        if relation.to.len() != relation.from.len() {
                            faults.push(format!("`{name}` refers to `{}` by another number of columns", related.name));
                        }
                    }
                    None => faults.push(format!("`{name}` refers to `{}`, which is not declared", related.name)),
                }
            }
            let mut repeated = HashSet::new();
            for field in &mut object.fields {
                if !repeated.insert(field.name.clone()) {
                    faults.push(format!("`{name}` has two fields `{}`", field.name));
                }
                if field.guard.is_some() && matches!(field.kind, FieldKind::Id) {
                    faults.push(format!("`{name}.{}` has a guard, and is a global id", field.name));
                }
                if let (FieldKind::One(relation), true) = (&field.kind, field.is_required) {
                    object.relations[*relation].is_required = true;
                }
                match &mut field.kind {
                    FieldKind::List(list) => {
                        let (at, of) = (format!("`{name}.{}`", field.name), &list.of.name);
                        let Some(found) = find(of) else {
                            faults.push(format!("{at} lists `{of}`, which is not declared"));
                            continue;
                        };
                        list.of.index = found;
                        if list.key.is_empty() {
                            list.key = object.table.key().cloned().collect();
                        }
                        if list.key.len() != list.columns.len() {
                            faults.push(format!("{at} refers to `{name}` by another number of columns"));
                        }
                    }
                    FieldKind::Resolved(Resolver { returned: Returned::Object(of), .. }) => match find(&of.name) {
                        Some(found) => of.index = found,
                        None => faults.push(format!("`{name}.{}` is `{}`, which is not declared", field.name, of.name)),
                    },
                    FieldKind::Column(column) if column.kind() == Kind::Unsupported => {
                        faults.push(format!("`{name}.{}`: the column `{column:?}` has no type in GraphQL", field.name));
                    }
                    _ => {}
                }
            }
        }
        faults.extend(checked_related(&mut objects));
        let mut repeated = HashSet::new();
        for root in &mut roots {
            if !repeated.insert(root.name.clone()) {
                faults.push(format!("the query has two fields `{}`", root.name));
            }
            if let RootKind::List { object, index, .. } | RootKind::Object { object, index, .. } = &mut root.kind {
                match find(object) {
                    Some(found) => *index = found,
                    None => faults.push(format!("the field `{}` returns `{object}`, which is not declared", root.name)),
                }
            }
        }
        faults.extend(writes::find(&mut writes, &mut events, &find));
        if !faults.is_empty() {
            return Err(DeclarationError(faults));
        }
        let mut declaration = Declaration { query_type, objects, roots, writes, events, ..Declaration::default() };
        declaration.find_viewers();
        let mut faults = writes::checked(&mut declaration);
        faults.extend(writes::checked_events(&mut declaration));
        if faults.is_empty() { Ok(Arc::new(declaration)) } else { Err(DeclarationError(faults)) }
    }
}

/// Makes the changes of fields. Returns the faults.
fn changed(objects: &mut [ObjectType]) -> Vec<String> {
    let mut faults = Vec::new();
    for number in 0..objects.len() {
        for Change(field, change) in std::mem::take(&mut objects[number].changes) {
            let of = objects[number].name.clone();
            let Some(found) = objects[number].fields.iter_mut().find(|known| known.name == field) else {
                faults.push(format!("`{of}` has no field `{field}` to change"));
                continue;
            };
            change(found);
            let name = found.name.clone();
            let lists = objects.iter_mut().flat_map(|object| &mut object.fields).filter_map(Field::list_mut);
            for through in lists.filter(|list| list.of.name == of).filter_map(|list| list.through.as_mut()) {
                if through.field == field {
                    through.field.clone_from(&name);
                }
            }
        }
    }
    faults
}

/// Finds what fields say of the fields of other objects. Returns the faults.
fn checked_related(objects: &mut [ObjectType]) -> Vec<String> {
    let mut faults = Vec::new();
    for number in 0..objects.len() {
        let (object, mut sorts) = (&objects[number], Vec::new());
        for field in &object.fields {
            let at = format!("`{}.{}`", object.name, field.name);
            if let FieldKind::List(list) = &field.kind
                && let Some(through) = &list.through
            {
                let junction = &objects[list.of.index];
                let of_node = junction.field(&through.field);
                let node = of_node.and_then(|field| junction.relation_of(field));
                if node.is_none_or(Relation::can_be_absent) || of_node.is_some_and(|field| field.guard.is_some()) {
                    faults.push(format!("{at}: `{}.{}` is no object that is never null", junction.name, through.field));
                }
            }
            let FieldKind::One(relation) = field.kind else { continue };
            let Some(related) = &object.relations[relation].object else { continue };
            for name in &field.related_sorts {
                let found = objects[related.index].field(name).filter(|of| of.sorts);
                let (Some(of), Some(column)) = (found, found.and_then(Field::own_column)) else {
                    faults.push(format!("{at}: `{}` has no field `{name}` to sort by", related.name));
                    continue;
                };
                sorts.push(RelatedSort {
                    item: format!("{}_{}", screaming(&field.name), screaming(name)),
                    description: of.description.clone(),
                    relation,
                    column: column.of(format!("{}_of_{}", field.name, object.table.name())),
                    is_by_code_point: of.is_by_code_point,
                    guards: [field.guard.clone(), of.guard.clone()],
                });
            }
        }
        objects[number].related_sorts = sorts;
    }
    faults
}
