/**
 * @generated SignedSource<<c529a765e1079f2f9d336528ffbf516e>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ConcreteRequest } from 'relay-runtime';
export type ratingsTestNullQuery$variables = Record<PropertyKey, never>;
export type ratingsTestNullQuery$data = {
  readonly ratings: {
    readonly nodes: ReadonlyArray<{
      readonly id: string;
    }>;
  } | null | undefined;
};
export type ratingsTestNullQuery = {
  response: ratingsTestNullQuery$data;
  variables: ratingsTestNullQuery$variables;
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
    "metadata": null,
    "name": "ratingsTestNullQuery",
    "selections": (v0/*:: as any*/),
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [],
    "kind": "Operation",
    "name": "ratingsTestNullQuery",
    "selections": (v0/*:: as any*/)
  },
  "params": {
    "cacheID": "80f80995562b1498f13548472cee7bac",
    "id": null,
    "metadata": {},
    "name": "ratingsTestNullQuery",
    "operationKind": "query",
    "text": "query ratingsTestNullQuery {\n  ratings(after: \"x\") {\n    nodes {\n      id\n    }\n  }\n}\n"
  }
};
})();

(node as any).hash = "5f0ef69dddd2aa65067f0cf90b76cefe";

export default node;
