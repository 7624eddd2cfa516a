/**
 * @generated SignedSource<<90de5cf1bb9f811a5876980c358a8359>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ConcreteRequest } from 'relay-runtime';
export type BookRatingsAddedSubscription$variables = {
  bookId: string;
  lists: ReadonlyArray<string>;
};
export type BookRatingsAddedSubscription$data = {
  readonly ratingAdded: {
    readonly cursor: string;
    readonly node: {
      readonly id: string;
      readonly rating: number;
    };
  };
};
export type BookRatingsAddedSubscription = {
  response: BookRatingsAddedSubscription$data;
  variables: BookRatingsAddedSubscription$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "bookId"
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
    "name": "bookId",
    "variableName": "bookId"
  },
  {
    "kind": "Literal",
    "name": "orderBy",
    "value": {
      "direction": "DESC",
      "field": "CREATED_AT"
    }
  }
],
v2 = {
  "alias": null,
  "args": (v1/*:: as any*/),
  "concreteType": "RatingEdge",
  "kind": "LinkedField",
  "name": "ratingAdded",
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
};
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "BookRatingsAddedSubscription",
    "selections": [
      (v2/*:: as any*/)
    ],
    "type": "Subscription",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "BookRatingsAddedSubscription",
    "selections": [
      (v2/*:: as any*/),
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "filters": null,
        "handle": "prependEdge",
        "key": "",
        "kind": "LinkedHandle",
        "name": "ratingAdded",
        "handleArgs": [
          {
            "kind": "Variable",
            "name": "connections",
            "variableName": "lists"
          }
        ]
      }
    ]
  },
  "params": {
    "cacheID": "cb587e17a3aada31c0159efe6ffef41c",
    "id": null,
    "metadata": {},
    "name": "BookRatingsAddedSubscription",
    "operationKind": "subscription",
    "text": "subscription BookRatingsAddedSubscription(\n  $bookId: ID!\n) {\n  ratingAdded(bookId: $bookId, orderBy: {field: CREATED_AT, direction: DESC}) {\n    cursor\n    node {\n      id\n      rating\n    }\n  }\n}\n"
  }
};
})();

(node as any).hash = "744aea704a5a3dd55b4b4181922d31ab";

export default node;
