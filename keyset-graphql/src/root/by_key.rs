//! Objects that are found by keys, which the arguments of a field name.

use async_graphql::{ID, OutputType, Pos, Variables};

use super::{ReadRoot, RootValue, Roots};
use crate::arguments::{Arguments, Given};
use crate::cost::Cost;
use crate::error::code;
use crate::input::InputFields;
use crate::keyed::Keyed;
use crate::list::FieldArgs;
use crate::node::{ByKey, Found, Node, NodeList, Nodes, PerType, Planned};
use crate::plan::Run;
use crate::plan::object::{Boxed, Selection};
use crate::plan::writer::{Writer, Written};
use crate::registry::ObjectFields;
use crate::{Error, GlobalId, Result};

impl Roots {
    /// The object with the key that the arguments name; null where there is none.
    pub fn object<T: Keyed, A: FieldArgs + 'static>(
        &mut self,
        name: &'static str,
        description: &'static str,
        key: fn(A) -> Result<T::Key>,
    ) {
        let register = |fields: &mut ObjectFields<'_>, name, description| {
            register::<Option<ByKey<T>>>(fields, name, description, A::describe);
        };
        let keys = move |arguments: &Arguments<'_>, _: &Run<'_>| Ok(vec![key(A::read(arguments)?)?]);
        self.add(name, description, Cost::Lookup, register, move |_, _, field, planner| {
            let plan = Box::new(Selection::<T>::new(&field.sets(), None, planner));
            let arguments = Given::of(&field.field().node);
            Box::new(ReadByKeys { arguments, keys: Box::new(keys), plan, is_list: false })
        });
    }

    /// `node`: the object with a global id (GraphQL Global Object Identification).
    pub fn node<N: Nodes>(&mut self) {
        let register = |fields: &mut ObjectFields<'_>, name, description| {
            register::<Option<Node<N>>>(fields, name, description, |arguments| {
                arguments.field::<ID>("id", "Returns the object with this global id.");
            });
        };
        let keys = |arguments: &Arguments<'_>, _: &Run<'_>| Ok(vec![GlobalId::parse(&arguments.get("id")?)?]);
        let description = "The object with this global id. Null if there is none.";
        self.add("node", description, Cost::Lookup, register, move |_, _, field, planner| {
            let arguments = Given::of(&field.field().node);
            let plan = Box::new(PerType::<N>::plan(field, planner));
            Box::new(ReadByKeys { arguments, keys: Box::new(keys), plan, is_list: false })
        });
    }

    /// `nodes`: the objects with these global ids, at most as many as a page can hold.
    pub fn nodes<N: Nodes>(&mut self) {
        let register = |fields: &mut ObjectFields<'_>, name, description| {
            register::<NodeList<N>>(fields, name, description, |arguments| {
                let description = "Returns the objects with these global ids. The maximum number of ids is that of `first`, 100 by \
                    default. More ids fail with `BAD_USER_INPUT`.";
                arguments.field::<Vec<ID>>("ids", description);
            });
        };
        let keys = |arguments: &Arguments<'_>, run: &Run<'_>| {
            let (ids, max): (Vec<ID>, _) = (arguments.get("ids")?, run.reader.limits().max);
            if u32::try_from(ids.len()).is_ok_and(|asked| asked <= max) {
                return ids.iter().map(GlobalId::parse).collect();
            }
            let message = format!("`ids` must have at most {max} ids, not {}", ids.len());
            Err(Error::client(code::BAD_USER_INPUT, message))
        };
        let description =
            "The objects with these global ids, in the same order. An item is null if there is no such object.";
        let cost = Cost::Keys { argument: "ids", types: N::ALL.len() };
        self.add("nodes", description, cost, register, move |_, _, field, planner| {
            let arguments = Given::of(&field.field().node);
            let plan = Box::new(PerType::<N>::plan(field, planner));
            Box::new(ReadByKeys { arguments, keys: Box::new(keys), plan, is_list: true })
        });
    }
}

fn register<T: OutputType>(
    fields: &mut ObjectFields<'_>,
    name: &'static str,
    description: &'static str,
    describe: impl FnOnce(&mut InputFields<'_>),
) {
    let ty = T::create_type_info(fields.registry);
    let mut arguments = InputFields::new(fields.registry);
    describe(&mut arguments);
    let arguments = arguments.finish();
    fields.field_of(name, description, ty, arguments);
}

/// A field that is read by the keys in its arguments: one object, which can be null, or a list of them.
struct ReadByKeys<K> {
    arguments: Given,
    keys: Box<Keys<K>>,
    plan: Box<dyn Planned<K>>,
    is_list: bool,
}

/// Reads the keys in the arguments.
type Keys<K> = dyn Fn(&Arguments<'_>, &Run<'_>) -> Result<Vec<K>> + Send + Sync;

struct FoundByKeys<'p, K> {
    found: Result<(Vec<K>, Box<dyn Found<K> + 'p>)>,
    is_list: bool,
}

impl<K: Clone + Send + Sync> ReadRoot for ReadByKeys<K> {
    fn reads_once(&self, variables: &Variables) -> bool {
        !self.is_list && !self.plan.reads_lists(variables)
    }

    fn read<'a, 'p: 'a>(&'p self, run: &'a Run<'_>) -> Boxed<'a, Box<dyn RootValue + 'p>> {
        Box::pin(async move {
            let found = match (self.keys)(&self.arguments.bind(run.variables), run) {
                Ok(keys) => self.plan.read(run, keys.clone()).await.map(|found| (keys, found)),
                Err(error) => Err(error),
            };
            Box::new(FoundByKeys { found, is_list: self.is_list }) as Box<dyn RootValue>
        })
    }
}

impl<K: Send + Sync> RootValue for FoundByKeys<'_, K> {
    fn fails_query(&self) -> bool {
        self.is_list && self.found.is_err()
    }

    fn write(&self, position: Pos, writer: &mut Writer<'_>) -> Written {
        let write = |writer: &mut Writer<'_>| match &self.found {
            Ok((keys, found)) if self.is_list => writer.list(keys.iter(), |writer, key| {
                writer.nullable(|writer| found.write(key, writer));
                Ok(())
            }),
            Ok((keys, found)) => keys.iter().try_for_each(|key| found.write(key, writer)),
            Err(error) => Err(writer.fail(error.clone(), position)),
        };
        if self.is_list {
            return write(writer);
        }
        writer.nullable(write);
        Ok(())
    }
}
