/**
 * @generated SignedSource<<2d185d76d9ed40593573325472f02de3>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ConcreteRequest } from 'relay-runtime';
export type ratingsTestThrowQuery$variables = Record<PropertyKey, never>;
export type ratingsTestThrowQuery$data = {
  readonly ratings: {
    readonly nodes: ReadonlyArray<{
      readonly id: string;
    }>;
  } | null | undefined;
};
export type ratingsTestThrowQuery = {
  response: ratingsTestThrowQuery$data;
  variables: ratingsTestThrowQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "alias": null,
    "args": [
      {
        "kind": "Literal",
        "name": "after",
        "value": "x"
      }
    ],
    "concreteType": "RatingConnection",
    "kind": "LinkedField",
    "name": "ratings",
    "plural": false,
    "selections": [
      {
        "alias": null,
        "args": null,
        "concreteType": "Rating",
        "kind": "LinkedField",
        "name": "nodes",
        "plural": true,
        "selections": [
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "id",
            "storageKey": null
          }
        ],
        "storageKey": null
      }
    ],
    "storageKey": "ratings(after:\"x\")"
  }
];
return {
  "fragment": {
    "argumentDefinitions": [],
    "kind": "Fragment",
    "metadata": {
      "throwOnFieldError": true
    },
    "name": "ratingsTestThrowQuery",
    "selections": (v0/*:: as any*/),
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [],
    "kind": "Operation",
    "name": "ratingsTestThrowQuery",
    "selections": (v0/*:: as any*/)
  },
  "params": {
    "cacheID": "db4dcb4a6c44829ac840a4842cb109be",
    "id": null,
    "metadata": {},
    "name": "ratingsTestThrowQuery",
    "operationKind": "query",
    "text": "query ratingsTestThrowQuery {\n  ratings(after: \"x\") {\n    nodes {\n      id\n    }\n  }\n}\n"
  }
};
})();

(node as any).hash = "effd5365819eed18cf0a2e505f86131d";

export default node;
