/**
 * @generated SignedSource<<1d9cda1b4bc4ff890ec98085009067c0>>
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
export type BookRatingsRateMutation$variables = {
  input: RateBookInput;
  lists: ReadonlyArray<string>;
};
export type BookRatingsRateMutation$data = {
  readonly rateBook: {
    readonly book: {
      readonly averageRating: number | null | undefined;
      readonly id: string;
    };
    readonly ratingEdge: {
      readonly cursor: string;
      readonly node: {
        readonly id: string;
        readonly rating: number;
      };
    };
  } | null | undefined;
};
export type BookRatingsRateMutation = {
  response: BookRatingsRateMutation$data;
  variables: BookRatingsRateMutation$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "input"
  },
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "lists"
  }
],
v1 = [
  {
    "kind": "Variable",
    "name": "input",
    "variableName": "input"
  }
],
v2 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
},
v3 = {
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
        (v2/*:: as any*/),
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
v4 = {
  "alias": null,
  "args": null,
  "concreteType": "Book",
  "kind": "LinkedField",
  "name": "book",
  "plural": false,
  "selections": [
    (v2/*:: as any*/),
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "averageRating",
      "storageKey": null
    }
  ],
  "storageKey": null
};
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "BookRatingsRateMutation",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": "RateBookPayload",
        "kind": "LinkedField",
        "name": "rateBook",
        "plural": false,
        "selections": [
          (v3/*:: as any*/),
          (v4/*:: as any*/)
        ],
        "storageKey": null
      }
    ],
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "BookRatingsRateMutation",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": "RateBookPayload",
        "kind": "LinkedField",
        "name": "rateBook",
        "plural": false,
        "selections": [
          (v3/*:: as any*/),
          {
            "alias": null,
            "args": null,
            "filters": null,
            "handle": "prependEdge",
            "key": "",
            "kind": "LinkedHandle",
            "name": "ratingEdge",
            "handleArgs": [
              {
                "kind": "Variable",
                "name": "connections",
                "variableName": "lists"
              }
            ]
          },
          (v4/*:: as any*/)
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "cacheID": "971151e4fd1efe8494c366042e46db9f",
    "id": null,
    "metadata": {},
    "name": "BookRatingsRateMutation",
    "operationKind": "mutation",
    "text": "mutation BookRatingsRateMutation(\n  $input: RateBookInput!\n) {\n  rateBook(input: $input) {\n    ratingEdge {\n      cursor\n      node {\n        id\n        rating\n      }\n    }\n    book {\n      id\n      averageRating\n    }\n  }\n}\n"
  }
};
})();

(node as any).hash = "60c699cc9cbe49e6b6e12cbe248c3a9d";

export default node;
