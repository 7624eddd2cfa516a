//! The fields of an input, and the columns that they set.

use async_graphql::{ID, InputType, Value};
use keyset::{Column, Kind};

use super::{WriteField, WriteKind};
use crate::Result;
use crate::declare::declaration::Declaration;
use crate::declare::field::FieldKind;
use crate::declare::object::ObjectType;
use crate::input::InputFields;
use crate::scalar::{self, refused};

/// A field of an input, and the columns that it sets.
#[derive(Clone, Debug)]
pub(crate) struct InputField {
    pub name: String,
    description: String,
    sets: Sets,
    is_nullable: bool,
    is_required: bool,
}

#[derive(Clone, Debug)]
enum Sets {
    Column(Column),
    /// Those that refer to another object, and those of them that are NULL without one.
    Reference(Reference, Vec<Column>),
}

/// A field that names, by its global id, the object that another field returns: `riverId`.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    pub name: String,
    /// The field with the object.
    pub field: String,
    /// The index of the object.
    pub target: usize,
    /// The columns that refer to its primary key.
    pub columns: Vec<Column>,
}

/// Whether the database can return the value of a column that it has made.
pub(crate) fn is_returned(column: &Column) -> bool {
    matches!(column.kind(), Kind::SmallInt | Kind::Int | Kind::BigInt | Kind::Text | Kind::Uuid)
}

/// Whether the server makes keys: UUIDs of version 7.
pub(crate) fn is_uuid_key(object: &ObjectType) -> bool {
    object.table.key().map(Column::kind).eq([Kind::Uuid])
}

impl ObjectType {
    /// The columns that refer to other objects, for each relation.
    fn referring(&self) -> impl Iterator<Item = &Vec<Column>> {
        let relations = self.relations.iter().filter(|relation| relation.object.is_some() && !relation.is_back);
        relations.map(|relation| &relation.from)
    }

    /// Whether the server or the database makes the key of new rows: not where it refers to another object.
    pub(crate) fn generates_key(&self) -> bool {
        let refers = |key: &Column| self.referring().flatten().any(|column| column == key);
        (self.table.generates_key() || is_uuid_key(self)) && !self.table.key().any(refers)
    }

    fn is_of_key(&self, column: &Column) -> bool {
        self.table.key().any(|key| key == column)
    }

    /// Its fields that can be named by the global id of another object.
    pub(crate) fn references(&self, declaration: &Declaration) -> Vec<Reference> {
        let references = self.fields.iter().filter(|field| !field.is_hidden).filter_map(|field| {
            let FieldKind::One(relation) = field.kind else { return None };
            let relation = &self.relations[relation];
            let target = relation.object.as_ref()?.index;
            let of = declaration.object(target);
            let is_by_id = of.tag.is_some() && of.table.key().eq(&relation.to) && !relation.is_back;
            let (name, columns) = (format!("{}Id", field.name), relation.from.clone());
            is_by_id.then(|| Reference { name, field: field.name.clone(), target, columns })
        });
        references.collect()
    }

    /// The fields of the input that creates or changes an object.
    fn input_fields(&self, declaration: &Declaration, kind: WriteKind) -> Vec<InputField> {
        let is_creation = kind == WriteKind::Create;
        let is_settable = |column: &Column| {
            !column.is_computed() && (!self.is_of_key(column) || is_creation && !self.generates_key())
        };
        let references = self.references(declaration);
        let mut references: Vec<Reference> =
            references.into_iter().filter(|it| it.columns.iter().all(is_settable)).collect();
        let referring: Vec<Column> = references.iter().flat_map(|it| it.columns.clone()).collect();
        let is_shared = |column: &Column| self.referring().filter(|columns| columns.contains(column)).count() > 1;
        // A rule gives its value.
        let is_ruled = |column: &Column| self.ruled_by().any(|ruled| ruled == column);
        let references = references.drain(..).map(|reference| {
            let nulls = reference.columns.iter().filter(|column| column.is_nullable() && !is_shared(column));
            let nulls: Vec<Column> = nulls.cloned().collect();
            InputField {
                name: reference.name.clone(),
                description: format!("The global id of `{}`.", reference.field),
                is_nullable: !nulls.is_empty(),
                is_required: is_creation && nulls.is_empty() && !reference.columns.iter().all(is_ruled),
                sets: Sets::Reference(reference, nulls),
            }
        });
        let columns = self.fields.iter().filter(|field| !field.is_hidden).filter_map(|field| {
            let column = field.own_column().filter(|column| is_settable(column) && !referring.contains(column))?;
            let is_made = is_ruled(column) || column.has_default() && (!self.is_of_key(column) || is_returned(column));
            Some(InputField {
                name: field.name.clone(),
                description: field.description.clone(),
                is_nullable: column.is_nullable(),
                is_required: is_creation && !column.is_nullable() && !is_made,
                sets: Sets::Column(column.clone()),
            })
        });
        references.chain(columns).collect()
    }
}

impl WriteField {
    /// Finds the fields of its input. Returns the names of all fields that it could have.
    pub(crate) fn find_inputs(&mut self, declaration: &Declaration) -> Vec<String> {
        if self.kind == WriteKind::Delete {
            return Vec::new();
        }
        let mut fields = declaration.object(self.object.index).input_fields(declaration, self.kind);
        let names = fields.iter().map(|field| field.name.clone()).collect();
        fields.retain(|field| !self.without.contains(&field.name));
        for field in &mut fields {
            field.is_required |= self.required.contains(&field.name);
            field.description = self.description_of(&field.name, &*field.description);
        }
        self.inputs = fields;
        names
    }
}

impl InputField {
    /// Describes it in the schema.
    pub fn register(&self, fields: &mut InputFields<'_>) {
        let ty = match &self.sets {
            Sets::Column(column) => scalar::register_column(column, fields.registry()),
            Sets::Reference(..) => {
                <ID as InputType>::create_type_info(fields.registry()).trim_end_matches('!').to_owned()
            }
        };
        let ty = if self.is_required { format!("{ty}!") } else { ty };
        fields.field_of(&self.name, &self.description, ty);
    }

    /// The values of its columns. Null where the column has no NULL sets none, as if the field were not given.
    ///
    /// # Errors
    ///
    /// [`BAD_USER_INPUT`](crate::error::code::BAD_USER_INPUT) for values of another type;
    /// [`ID_INVALID`](crate::error::code::ID_INVALID).
    pub fn read(&self, declaration: &Declaration, value: &Value) -> Result<Vec<(Column, sea_orm::Value)>> {
        if *value == Value::Null {
            let nulls = if let Sets::Reference(_, nulls) = &self.sets { nulls } else { self.columns() };
            let nulls = nulls.iter().filter(|_| self.is_nullable);
            return Ok(nulls.map(|column| (column.clone(), column.kind().null())).collect());
        }
        match &self.sets {
            Sets::Column(column) => Ok(vec![(column.clone(), scalar::read_column(column, value)?)]),
            Sets::Reference(reference, _) => {
                let id = ID::parse(Some(value.clone())).map_err(refused)?;
                let key = declaration.key(&declaration.object(reference.target).name, &id)?;
                Ok(reference.columns.iter().cloned().zip(key).collect())
            }
        }
    }

    /// The object that it names, if it names one.
    pub fn reference(&self) -> Option<&Reference> {
        if let Sets::Reference(reference, _) = &self.sets { Some(reference) } else { None }
    }

    fn columns(&self) -> &[Column] {
        match &self.sets {
            Sets::Column(column) => std::slice::from_ref(column),
            Sets::Reference(reference, _) => &reference.columns,
        }
    }

    /// Whether it sets this column.
    pub fn has(&self, column: &str) -> bool {
        self.columns().iter().any(|own| own.name() == column)
    }
}
