/**
 * @generated SignedSource<<ef327d9fecdfb97d0df7578d5e328129>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ConcreteRequest } from 'relay-runtime';
export type DeleteRatingInput = {
  clientMutationId?: string | null | undefined;
  id: string;
};
export type BookRatingsDeleteMutation$variables = {
  input: DeleteRatingInput;
  lists: ReadonlyArray<string>;
};
export type BookRatingsDeleteMutation$data = {
  readonly deleteRating: {
    readonly book: {
      readonly averageRating: number | null | undefined;
      readonly id: string;
    };
    readonly deletedId: string;
  } | null | undefined;
};
export type BookRatingsDeleteMutation = {
  response: BookRatingsDeleteMutation$data;
  variables: BookRatingsDeleteMutation$variables;
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
  "name": "deletedId",
  "storageKey": null
},
v3 = {
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
      "name": "id",
      "storageKey": null
    },
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
    "name": "BookRatingsDeleteMutation",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": "DeleteRatingPayload",
        "kind": "LinkedField",
        "name": "deleteRating",
        "plural": false,
        "selections": [
          (v2/*:: as any*/),
          (v3/*:: as any*/)
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
    "name": "BookRatingsDeleteMutation",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": "DeleteRatingPayload",
        "kind": "LinkedField",
        "name": "deleteRating",
        "plural": false,
        "selections": [
          (v2/*:: as any*/),
          {
            "alias": null,
            "args": null,
            "filters": null,
            "handle": "deleteEdge",
            "key": "",
            "kind": "ScalarHandle",
            "name": "deletedId",
            "handleArgs": [
              {
                "kind": "Variable",
                "name": "connections",
                "variableName": "lists"
              }
            ]
          },
          (v3/*:: as any*/)
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "cacheID": "e3853aa837d3f74bf0f035959ac75ed0",
    "id": null,
    "metadata": {},
    "name": "BookRatingsDeleteMutation",
    "operationKind": "mutation",
    "text": "mutation BookRatingsDeleteMutation(\n  $input: DeleteRatingInput!\n) {\n  deleteRating(input: $input) {\n    deletedId\n    book {\n      id\n      averageRating\n    }\n  }\n}\n"
  }
};
})();

(node as any).hash = "07e9cbfdb40d6689759b8e34070a463c";

export default node;
