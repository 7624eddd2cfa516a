/**
 * @generated SignedSource<<3cbbd0a2a01182c5c2ad95758f174f8d>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ConcreteRequest } from 'relay-runtime';
export type NullPlacement = "FIRST" | "LAST" | "%future added value";
export type RatingSortField = "CREATED_AT" | "RATING" | "%future added value";
export type SortDirection = "ASC" | "DESC" | "%future added value";
export type RateBookInput = {
  bookId: string;
  clientMutationId?: string | null | undefined;
  orderBy?: ReadonlyArray<RatingSort> | null | undefined;
  rating: number;
};
export type RatingSort = {
  direction?: SortDirection;
  field: RatingSortField;
  nulls?: NullPlacement;
};
export type RatingListRateMutation$variables = {
  input: RateBookInput;
};
export type RatingListRateMutation$data = {
  readonly rateBook: {
    readonly previousEdgeCursor: string | null | undefined;
    readonly ratingEdge: {
      readonly cursor: string;
      readonly node: {
        readonly id: string;
        readonly rating: number;
      };
    };
  } | null | undefined;
};
export type RatingListRateMutation = {
  response: RatingListRateMutation$data;
  variables: RatingListRateMutation$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "input"
  }
],
v1 = [
  {
    "alias": null,
    "args": [
      {
        "kind": "Variable",
        "name": "input",
        "variableName": "input"
      }
    ],
    "concreteType": "RateBookPayload",
    "kind": "LinkedField",
    "name": "rateBook",
    "plural": false,
    "selections": [
      {
        "alias": null,
        "args": null,
        "concreteType": "RatingEdge",
        "kind": "LinkedField",
        "name": "ratingEdge",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "cursor",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "concreteType": "Rating",
            "kind": "LinkedField",
            "name": "node",
            "plural": false,
            "selections": [
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "id",
                "storageKey": null
              },
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "rating",
                "storageKey": null
              }
            ],
            "storageKey": null
          }
        ],
        "storageKey": null
      },
      {
        "alias": null,
        "args": null,
        "kind": "ScalarField",
        "name": "previousEdgeCursor",
        "storageKey": null
      }
    ],
    "storageKey": null
  }
];
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "RatingListRateMutation",
    "selections": (v1/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "RatingListRateMutation",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "cacheID": "479a29551e819512d27c5cea8f9036a0",
    "id": null,
    "metadata": {},
    "name": "RatingListRateMutation",
    "operationKind": "mutation",
    "text": "mutation RatingListRateMutation(\n  $input: RateBookInput!\n) {\n  rateBook(input: $input) {\n    ratingEdge {\n      cursor\n      node {\n        id\n        rating\n      }\n    }\n    previousEdgeCursor\n  }\n}\n"
  }
};
})();

(node as any).hash = "347cc3943eac5121f0287c2323223e6d";

export default node;
