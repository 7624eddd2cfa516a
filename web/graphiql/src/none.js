// In place of parts of the editor that its other parts import, and that GraphiQL does not use: differences, trees, the
// palette, definitions, colours, and pasted files.
class None {
  static get() {
    return null;
  }
}

export {
  None as AbstractTree,
  None as AsyncDataTree,
  None as ColorHoverParticipant,
  None as CompressibleAsyncDataTree,
  None as CompressibleObjectTree,
  None as CopyPasteController,
  None as DataTree,
  None as DiffEditorWidget,
  None as GotoDefinitionAtPositionEditorContribution,
  None as MultiDiffEditorWidget,
  None as ObjectTree,
  None as StandaloneQuickInputService,
  None as linesDiffComputers,
};
