// ESLint reads no file outside the directory that it runs in: `npm test` runs it at the root of the repository.
import graphql from "@graphql-eslint/eslint-plugin";

// What the specifications define is in the file as the server's library words it: without a word on the arguments.
const builtIn = "[parent.kind=DirectiveDefinition][parent.name.value=/^(deprecated|include|oneOf|semanticNonNull|skip|specifiedBy)$/]";

export default [
  {
    files: ["schema.graphql"],
    // A schema cannot excuse itself.
    linterOptions: { noInlineConfig: true },
    languageOptions: {
      parser: graphql.parser,
      // The rules look names up in the whole schema, which this one file is.
      parserOptions: { graphQLConfig: { schema: "schema.graphql" } },
    },
    plugins: { "@graphql-eslint": graphql },
    rules: {
      ...graphql.configs["flat/schema-recommended"].rules,
      ...graphql.configs["flat/schema-relay"].rules,
      // A connection has `nodes` beside its `edges`.
      "@graphql-eslint/relay-edge-types": ["error", { listTypeCanWrapOnlyEdgeType: false }],
      "@graphql-eslint/require-description": [
        "error",
        {
          types: true,
          FieldDefinition: true,
          InputValueDefinition: true,
          EnumValueDefinition: true,
          DirectiveDefinition: true,
          ignoredSelectors: [builtIn],
        },
      ],
      // What is no object with a life of its own has no id.
      "@graphql-eslint/strict-id-in-types": [
        "error",
        { exceptions: { types: ["PageInfo", "PageCursors", "PageCursor", "ApproximateCount"], suffixes: ["Connection", "Edge", "Payload"] } },
      ],
      // The server's library writes one line as "…", and more as """…""".
      "@graphql-eslint/description-style": "off",
      // A rating has a `rating`.
      "@graphql-eslint/no-typename-prefix": "off",
      // It takes @specifiedBy, which no scalar needs to bear, for unreachable.
      "@graphql-eslint/no-unreachable-types": "off",
    },
  },
];
