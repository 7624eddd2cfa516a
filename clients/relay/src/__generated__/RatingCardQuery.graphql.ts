/**
 * @generated SignedSource<<593e2a33744ab8311ce222205e1a701c>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ConcreteRequest } from 'relay-runtime';
import { FragmentRefs } from "relay-runtime";
export type RatingCardQuery$variables = {
  id: string;
};
export type RatingCardQuery$data = {
  readonly node: {
    readonly rating: {
      readonly " $fragmentSpreads": FragmentRefs<"RatingCard_rating">;
    } | null | undefined;
  } | null | undefined;
};
export type RatingCardQuery = {
  response: RatingCardQuery$data;
  variables: RatingCardQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "id"
  }
],
v1 = [
  {
    "kind": "Variable",
    "name": "id",
    "variableName": "id"
  }
],
v2 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
};
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "RatingCardQuery",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "node",
        "plural": false,
        "selections": [
          {
            "fragment": {
              "kind": "InlineFragment",
              "selections": [
                {
                  "args": null,
                  "kind": "FragmentSpread",
                  "name": "RatingCard_rating"
                }
              ],
              "type": "Rating",
              "abstractKey": null
            },
            "kind": "AliasedInlineFragmentSpread",
            "name": "rating"
          }
        ],
        "storageKey": null
      }
    ],
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "RatingCardQuery",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "node",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "__typename",
            "storageKey": null
          },
          (v2/*:: as any*/),
          {
            "kind": "InlineFragment",
            "selections": [
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "rating",
                "storageKey": null
              },
              {
                "alias": null,
                "args": null,
                "concreteType": "Book",
                "kind": "LinkedField",
                "name": "book",
                "plural": false,
                "selections": [
                  {
                    "alias": null,
                    "args": null,
                    "kind": "ScalarField",
                    "name": "name",
                    "storageKey": null
                  },
                  (v2/*:: as any*/)
                ],
                "storageKey": null
              }
            ],
            "type": "Rating",
            "abstractKey": null
          }
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "cacheID": "f9248360f694cfc9762c5032d096e741",
    "id": null,
    "metadata": {},
    "name": "RatingCardQuery",
    "operationKind": "query",
    "text": "query RatingCardQuery(\n  $id: ID!\n) {\n  node(id: $id) {\n    __typename\n    ...RatingCard_rating\n    id\n  }\n}\n\nfragment RatingCard_rating on Rating {\n  id\n  rating\n  book {\n    name\n    id\n  }\n}\n"
  }
};
})();

(node as any).hash = "afb7159bc7e72c1d281ada5f1f52ebb6";

export default node;
