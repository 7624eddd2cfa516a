// Writes documents with variables, and the verdicts of graphql-js on them, one JSON object a line:
//   node cases.js FILE [NUMBER] [SEED]
// The cases of a seed are the same at every run. A test of the server compares the verdicts with its own: see `.ci/run`.
import { readFileSync, writeFileSync } from 'node:fs';
import { buildSchema, getOperationAST, parse, validate } from 'graphql';
import { getVariableValues } from 'graphql/execution/values.js';
import { Dice } from './dice.js';
import { Documents } from './documents.js';
import { mutate } from './mutations.js';
import { SEEDS } from './seeds.js';

const [file, number = '50000', seed = '20'] = process.argv.slice(2);
const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));

// What refuses a request, if something does: the syntax, the document, the choice of an operation, or the variables.
function verdict({ query, operationName, variables }) {
  let document;
  try {
    document = parse(query);
  } catch (error) {
    return ['syntax', error.message];
  }
  try {
    const [error] = validate(schema, document, undefined, { maxErrors: 1 });
    if (error) return ['document', error.message];
  } catch (error) {
    // A rule evaluates the directives of a subscription before other rules have seen them.
    return ['document', error.message];
  }
  const operation = getOperationAST(document, operationName);
  if (!operation) return ['operation', ''];
  const coerced = getVariableValues(schema, operation.variableDefinitions ?? [], variables, { maxErrors: 1 });
  return coerced.errors ? ['variables', coerced.errors[0].message] : ['none', ''];
}

// The name of the first operation, if it has one and is not the only one.
function nameOf(query, dice) {
  const [first, second] = [...query.matchAll(/^(?:query|mutation|subscription)\s+(\w+)/gm)].map(([, name]) => name);
  return second && dice.chance(0.9) ? first : undefined;
}

const dice = new Dice(Number(seed));
const documents = new Documents(schema, dice);
const lines = [];
while (lines.length < Number(number)) {
  const original = dice.chance(0.3) ? dice.one(SEEDS) : documents.next();
  // One in ten is left as it is.
  const request = dice.chance(0.1) ? { ...original } : mutate(original, dice);
  request.operationName = nameOf(request.query, dice);
  const [refused, message] = verdict(request);
  lines.push(JSON.stringify({ ...request, refused, message }));
}
writeFileSync(file, `${lines.join('\n')}\n`);
