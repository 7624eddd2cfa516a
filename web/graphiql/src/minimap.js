// In place of the small picture of a text beside it, which GraphiQL does not show.
import { createFastDomNode } from "monaco-editor/esm/vs/base/browser/fastDomNode.js";
import { ViewPart } from "monaco-editor/esm/vs/editor/browser/view/viewPart.js";

export class Minimap extends ViewPart {
  #node = createFastDomNode(document.createElement("div"));

  getDomNode() {
    return this.#node;
  }

  prepareRender() {}

  render() {}
}
