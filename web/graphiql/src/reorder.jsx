// The tabs, in place of a list of 50 kB whose items can be dragged. Its roles would forbid the buttons that close a tab.
import { Children, cloneElement } from "react";

const Group = ({ axis, values, onReorder, role, ...props }) => <ul {...props} />;

function Item({ value, dragElastic, dragConstraints, role, "aria-selected": isOpen, children, ...props }) {
  const [open, ...others] = Children.toArray(children);
  return (
    <li {...props}>
      {cloneElement(open, { "aria-current": isOpen ? "page" : undefined })}
      {others}
    </li>
  );
}

export const Reorder = { Group, Item };
