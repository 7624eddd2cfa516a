// Changes to a document and its variables. Most of them make it invalid, in all the ways in which it can be.
import { Kind, Lexer, Source, TokenKind, parse, print, visit } from 'graphql';

const NAMES = ['id', 'name', 'books', 'node', 'nodes', 'first', 'where', 'input', 'year', 'rating', 'Nope', '__typename', 'on', 'type', 'cursor'];
const TYPES = ['Int', 'Int!', 'Float', 'String', 'String!', 'Boolean', 'Boolean!', 'ID', 'ID!', '[ID!]!', '[Int]', '[Int!]', '[[Int!]]',
  'BookFilter', 'BookFilter!', '[BookFilter!]', 'RateBookInput', 'RateBookInput!', 'BookSort', '[BookSort!]', 'SortDirection', 'DateTime', 'Decimal', 'Book', 'Node', 'Nope'];
const VALUES = ['1', '-1', '0.5', '2147483648', '1e3', '"x"', '""', 'true', 'null', 'ASC', 'NAME', 'Nope', '[]', '[1]', '[[1]]', '["x", 1]',
  '[null]', '{}', '{ eq: 1 }', '{ id: "x" }', '{ id: "x", id: "y" }', '{ nope: 1 }', '$v0', '$v1', '$nope', '[$v0]', '{ eq: $v0 }', '"""block"""', '"\\u00e9"'];
const DIRECTIVES = ['@skip(if: true)', '@include(if: $v0)', '@skip', '@nope', '@include(if: "x")', '@skip(unless: true)', '@skip(if: true) @skip(if: false)', '@deprecated', '@include(if: null)'];
const TOKENS = ['{', '}', '(', ')', '[', ']', '!', '$', ':', '=', '@', '...', '|', '&', 'on', 'query', 'fragment', 'null', 'true', '1', '01', '-', '1.', '"x"', '"', '#', ',', '\ufeff', 'é', '\\', '"\\u12"', '.5', '1a', '?', '\u0000', '\t', '\r'];
const JSONS = [null, 0, 1, -1, 0.5, 1e3, 2147483648, 9007199254740993, '', 'x', '1', 'ASC', 'NAME', true, false, [], [1], [null], ['x'], {}, { eq: 1 }, { nope: 1 }, { id: 'x' }];

export function mutate(document, dice) {
  let { query, variables } = document;
  for (let number = 1 + dice.below(2); number > 0; number--) {
    const kind = dice.next();
    if (kind < 0.45) query = changedNode(query, dice);
    else if (kind < 0.65) query = changedToken(query, dice);
    else variables = changedVariables(variables, dice);
  }
  return { query, variables };
}

// Deletes, repeats, replaces or adds one token.
function changedToken(query, dice) {
  const lexer = new Lexer(new Source(query));
  const tokens = [];
  try {
    while (lexer.advance().kind !== TokenKind.EOF) tokens.push(lexer.token);
  } catch {
    return query;
  }
  if (!tokens.length) return dice.one(TOKENS);
  const { start, end } = dice.one(tokens);
  const before = query.slice(0, start);
  const token = query.slice(start, end);
  const after = query.slice(end);
  const other = dice.one(tokens);
  const ways = ['', `${token} ${token}`, query.slice(other.start, other.end), `${token} ${dice.one(TOKENS)}`, dice.one(TOKENS), dice.one(NAMES), ` ${token} `, `${token}#\n`];
  return before + dice.one(ways) + after;
}

// Changes one node of the syntax tree.
function changedNode(query, dice) {
  let tree;
  try {
    tree = parse(query);
  } catch {
    return changedToken(query, dice);
  }
  let nodes = 0;
  visit(tree, { enter: () => void nodes++ });
  const chosen = dice.below(nodes);
  let index = 0;
  const changed = visit(tree, {
    enter: (node) => (index++ === chosen ? changes(node, dice) : undefined),
  });
  try {
    return print(changed);
  } catch {
    return query;
  }
}

const word = (value) => ({ kind: Kind.NAME, value });
const literal = (text) => parse(`{ a(b: ${text}) }`).definitions[0].selectionSet.selections[0].arguments[0].value;
const typeOf = (text) => parse(`query($a: ${text}) { a }`).definitions[0].variableDefinitions[0].type;
const directivesOf = (text) => parse(`{ a ${text} }`).definitions[0].selectionSet.selections[0].directives;

// What takes the place of a node: `null` deletes it, `undefined` leaves it.
function changes(node, dice) {
  switch (node.kind) {
    case Kind.NAME:
      return word(dice.one(NAMES));
    case Kind.VARIABLE:
      return { ...node, name: word(dice.one(['v0', 'v1', 'v2', 'nope'])) };
    case Kind.NAMED_TYPE:
      return { ...node, name: word(dice.one(['Query', 'Book', 'Node', 'Rating', 'RatingEdge', 'Int', 'BookFilter', 'Nope'])) };
    case Kind.NON_NULL_TYPE:
      return dice.chance(0.5) ? node.type : typeOf(dice.one(TYPES));
    case Kind.LIST_TYPE:
      return typeOf(dice.one(TYPES));
    case Kind.VARIABLE_DEFINITION:
      return dice.one([
        null,
        { ...node, type: typeOf(dice.one(TYPES)) },
        { ...node, type: typeOf(dice.one(TYPES)) },
        { ...node, defaultValue: literal(dice.one(VALUES.filter((text) => !text.includes('$')))) },
        { ...node, defaultValue: undefined },
        { ...node, directives: directivesOf(dice.one(DIRECTIVES.filter((text) => !text.includes('$')))) },
      ]);
    case Kind.ARGUMENT:
    case Kind.OBJECT_FIELD:
      return dice.one([null, { ...node, name: word(dice.one(NAMES)) }, { ...node, value: literal(dice.one(VALUES)) }]);
    case Kind.OBJECT:
      return dice.chance(0.5) && node.fields.length
        ? { ...node, fields: [...node.fields, dice.one(node.fields)] }
        : literal(dice.one(VALUES));
    case Kind.LIST:
      return dice.chance(0.5) ? { ...node, values: [...node.values, literal(dice.one(VALUES))] } : literal(dice.one(VALUES));
    case Kind.FIELD:
      return dice.one([
        null,
        { ...node, alias: word(dice.one(['id', 'name', 'a0_0'])) },
        { ...node, arguments: [...node.arguments, { kind: Kind.ARGUMENT, name: word(dice.one(NAMES)), value: literal(dice.one(VALUES)) }] },
        { ...node, arguments: [...node.arguments, ...node.arguments] },
        { ...node, directives: [...node.directives, ...directivesOf(dice.one(DIRECTIVES))] },
        { ...node, selectionSet: undefined },
        { ...node, selectionSet: parse('{ id }').definitions[0].selectionSet },
      ]);
    case Kind.SELECTION_SET:
      return { ...node, selections: [...node.selections, dice.one([dice.one(node.selections), ...extra(dice)])] };
    case Kind.INLINE_FRAGMENT:
    case Kind.FRAGMENT_SPREAD:
      return dice.one([null, { ...node, directives: directivesOf(dice.one(DIRECTIVES)) }]);
    case Kind.OPERATION_DEFINITION:
      return dice.one([
        { ...node, name: undefined },
        { ...node, operation: dice.one(['query', 'mutation', 'subscription']) },
        { ...node, directives: directivesOf(dice.one(DIRECTIVES)) },
        { ...node, variableDefinitions: [...node.variableDefinitions, ...node.variableDefinitions] },
        { ...node, variableDefinitions: [] },
      ]);
    case Kind.DOCUMENT:
      return { ...node, definitions: [...node.definitions, dice.one([dice.one(node.definitions), ...parse(dice.one(DEFINITIONS)).definitions])] };
    case Kind.FRAGMENT_DEFINITION:
      return dice.one([null, { ...node, directives: directivesOf(dice.one(DIRECTIVES)) }, { ...node, name: word('Fragment0') }]);
    default:
      return node.kind.endsWith('Value') ? literal(dice.one(VALUES)) : undefined;
  }
}

const DEFINITIONS = ['fragment Unused on Query { __typename }', '{ __typename }', 'type Nope { a: Int }', 'fragment A on Node { ...A }',
  'query Other($v0: Int) { books(first: $v0) { totalCount } }', 'fragment Fragment0 on Book { id }'];

function extra(dice) {
  const texts = ['...Fragment0', '...Nope', '... on Book { id }', '... on Node { id }', '... on Nope { id }', '... { __typename }', '... on Int { a }',
    'id', 'id: name', 'name: id', 'nope', '__typename', '__typename(a: 1)', '__typename { a }', '__schema { types { name } }', '__type(name: "Book") { name }', 'books { totalCount }', 'books(first: 1) { nodes { id } }'];
  return parse(`{ ${dice.one(texts)} }`).definitions[0].selectionSet.selections;
}

// Changes one value of the variables, at any depth, or adds or removes one.
function changedVariables(variables, dice) {
  const changed = structuredClone(variables);
  const places = [];
  const collect = (parent) => {
    for (const key of Object.keys(parent)) {
      places.push([parent, key]);
      if (parent[key] !== null && typeof parent[key] === 'object') collect(parent[key]);
    }
  };
  collect(changed);
  if (!places.length || dice.chance(0.1)) {
    changed[dice.one(['v0', 'v1', 'nope'])] = dice.one(JSONS);
    return changed;
  }
  const [parent, key] = dice.one(places);
  const way = dice.next();
  if (way < 0.25 && !Array.isArray(parent)) delete parent[key];
  else if (way < 0.35) parent[key] = [parent[key]];
  else if (way < 0.45 && !Array.isArray(parent)) parent[`${key}x`] = parent[key];
  else parent[key] = structuredClone(dice.one(JSONS));
  return changed;
}
