/**
 * @generated SignedSource<<8269a9aea5c4f181cac628db7dc719ca>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
import { FragmentRefs } from "relay-runtime";
export type RatingCard_rating$data = {
  readonly book: {
    readonly name: string;
  };
  readonly id: string;
  readonly rating: number;
  readonly " $fragmentType": "RatingCard_rating";
};
export type RatingCard_rating$key = {
  readonly " $data"?: RatingCard_rating$data;
  readonly " $fragmentSpreads": FragmentRefs<"RatingCard_rating">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "RatingCard_rating",
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
        }
      ],
      "storageKey": null
    }
  ],
  "type": "Rating",
  "abstractKey": null
};

(node as any).hash = "56efb324c6858b97a41f0dae356e53e3";

export default node;
