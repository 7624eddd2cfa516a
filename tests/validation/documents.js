// Documents for a schema, with variables: the seeds of the mutations. Most of them are valid.
import {
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';

const MAX_DEPTH = 4;

export class Documents {
  constructor(schema, dice) {
    Object.assign(this, { schema, dice });
  }

  // The text of a document, and values of its variables.
  next() {
    const { dice, schema } = this;
    this.fragments = [];
    const kind = dice.one(['query', 'query', 'query', 'mutation', 'subscription']);
    const root = { query: schema.getQueryType(), mutation: schema.getMutationType(), subscription: schema.getSubscriptionType() }[kind];
    const operations = [];
    const variables = {};
    for (let number = dice.chance(0.15) ? 2 : 1; number > 0; number--) {
      this.declared = [];
      const fields = kind === 'subscription' ? this.field(root, 0, new Set()) : this.selections(root, 0);
      for (const { name, value } of this.declared) if (value !== undefined) variables[name] = value;
      const list = this.declared.map(({ text }) => text).join(', ');
      const name = dice.chance(0.5) || number > 1 || operations.length ? ` Operation${number}` : '';
      operations.push(`${kind}${name}${list && `(${list})`} { ${fields} }`);
    }
    const fragments = this.fragments.map(({ text }) => text);
    return { query: [...operations, ...fragments].join('\n'), variables };
  }

  selections(type, depth) {
    const { dice } = this;
    const names = new Set();
    const parts = [];
    for (let number = 1 + dice.below(3); number > 0; number--) parts.push(this.field(type, depth, names));
    if (dice.chance(0.15)) parts.push(this.fragment(type, depth));
    return parts.join(' ');
  }

  field(type, depth, names) {
    const { dice } = this;
    let fields = Object.values(type.getFields?.() ?? {});
    if (depth >= MAX_DEPTH) fields = fields.filter((field) => !isCompositeType(getNamedType(field.type)));
    const isSubscription = type === this.schema.getSubscriptionType();
    if (!fields.length || (dice.chance(0.05) && !isSubscription)) return '__typename';
    const field = dice.one(fields);
    const alias = names.has(field.name) || dice.chance(0.1) ? `a${names.size}_${depth}` : '';
    names.add(alias || field.name);
    const given = field.args.filter((argument) => this.isRequired(argument) || dice.chance(0.3));
    const list = given.map((argument) => `${argument.name}: ${this.value(argument, 0)}`).join(', ');
    const of = getNamedType(field.type);
    const below = isCompositeType(of) ? ` { ${this.selections(of, depth + 1)} }` : '';
    const directives = isSubscription ? '' : this.directives();
    return `${alias && `${alias}: `}${field.name}${list && `(${list})`}${directives}${below}`;
  }

  directives() {
    const { dice } = this;
    if (!dice.chance(0.08)) return '';
    const name = dice.one(['skip', 'include']);
    const position = this.schema.getDirective(name).args[0];
    return ` @${name}(if: ${this.value(position, 0)})`;
  }

  fragment(type, depth) {
    const { dice, schema } = this;
    const possible = isAbstractType(type) ? [type, ...schema.getPossibleTypes(type)] : [type, ...(type.getInterfaces?.() ?? [])];
    const on = dice.one(possible);
    if (dice.chance(0.5)) {
      const condition = dice.chance(0.7) ? `on ${on} ` : '';
      const names = new Set(['id']);
      return `... ${condition}${this.directives()}{ ${this.field(condition ? on : type, depth + 1, names)} }`;
    }
    const known = this.fragments.filter((fragment) => fragment.on === on);
    if (known.length && dice.chance(0.5)) return `...${dice.one(known).name}`;
    const name = `Fragment${this.fragments.length}`;
    const fragment = { name, on, text: `fragment ${name} on ${on} { __typename }` };
    this.fragments.push(fragment);
    fragment.text = `fragment ${name} on ${on} { ${this.selections(on, depth + 1)} }`;
    return `...${name}${this.directives()}`;
  }

  isRequired(position) {
    return isNonNullType(position.type) && position.defaultValue === undefined;
  }

  // A value for a position, as text: a literal, or a variable.
  value(position, depth) {
    const { dice } = this;
    if (dice.chance(0.3)) return this.variable(position, depth);
    return this.literal(position.type, depth);
  }

  variable(position, depth) {
    const { dice } = this;
    const name = `v${this.declared.length}`;
    const variable = { name };
    this.declared.push(variable);
    const initial = dice.chance(0.2) ? ` = ${this.literal(position.type, depth, true)}` : '';
    const nullable = getNullableType(position.type);
    const isRequired = isNonNullType(position.type) && !initial ? true : dice.chance(0.3);
    const type = isRequired ? `${nullable}!` : `${nullable}`;
    const value = isRequired || dice.chance(0.9) ? this.json(nullable, depth) : null;
    variable.value = (!isRequired || initial) && dice.chance(0.3) ? undefined : value;
    variable.text = `$${name}: ${type}${initial}`;
    return `$${name}`;
  }

  literal(type, depth, isConstant = false) {
    const { dice } = this;
    const of = getNullableType(type);
    if (!isNonNullType(type) && dice.chance(0.04)) return 'null';
    if (isListType(of)) {
      if (dice.chance(0.3)) return this.literal(of.ofType, depth + 1, isConstant);
      const items = Array.from({ length: dice.below(3) }, () =>
        isConstant || !dice.chance(0.15) ? this.literal(of.ofType, depth + 1, isConstant) : this.variable({ type: of.ofType }, depth + 1),
      );
      return `[${items.join(', ')}]`;
    }
    if (isInputObjectType(of)) {
      const fields = this.given(of, depth).map((field) => {
        const value = isConstant ? this.literal(field.type, depth + 1, true) : this.value(field, depth + 1);
        return `${field.name}: ${value}`;
      });
      return `{ ${fields.join(', ')} }`;
    }
    if (isEnumType(of)) return dice.one(of.getValues()).name;
    return JSON.stringify(this.leaf(of));
  }

  json(type, depth) {
    const { dice } = this;
    const of = getNullableType(type);
    if (!isNonNullType(type) && dice.chance(0.04)) return null;
    if (isListType(of)) {
      if (dice.chance(0.3)) return this.json(of.ofType, depth + 1);
      return Array.from({ length: dice.below(3) }, () => this.json(of.ofType, depth + 1));
    }
    if (isInputObjectType(of)) {
      return Object.fromEntries(this.given(of, depth).map((field) => [field.name, this.json(field.type, depth + 1)]));
    }
    if (isEnumType(of)) return dice.one(of.getValues()).name;
    return this.leaf(of);
  }

  // The fields of an input that are given.
  given(input, depth) {
    const fields = Object.values(input.getFields());
    const few = Math.min(1, 2 / fields.length);
    return fields.filter((field) => this.isRequired(field) || (depth < 3 && this.dice.chance(few)));
  }

  leaf(type) {
    const { dice } = this;
    switch (type.name) {
      case 'Int':
        return dice.one([0, 1, 5, -1, 2147483647, -2147483648]);
      case 'Float':
        return dice.one([0, 1, -2.5, 3.25e3]);
      case 'Boolean':
        return dice.chance(0.5);
      case 'ID':
        return dice.one(['AQFvXmeg9XEwlHxPjU7ROqA', 'x', '', 7]);
      case 'DateTime':
        return '2022-01-01T00:00:19.933Z';
      case 'Decimal':
        return dice.one(['12.50', '0.01', 3]);
      default:
        return dice.one(['', 'x', 'the "words"', 'é 😀', 'line\nline']);
    }
  }
}
