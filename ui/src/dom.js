// Elements are made here and nowhere else, and text only ever becomes text:
// no name that a span brings can be markup.

/** Make an element: attributes, listeners (onclick) and children, which are
 * elements, texts, lists of them, or nothing. */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "selected" || name === "disabled") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  add(element, children);
  return element;
}

export function add(element, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

export function fill(element, ...children) {
  element.replaceChildren();
  return add(element, children);
}

let ids = 0;
export const newId = (word) => `${word}-${++ids}`;

/** A labelled control: the label's text, and the control. */
export function field(label, control) {
  control.id ||= newId("field");
  return h("div", { class: "field" }, h("label", { for: control.id }, label), control);
}

export function select(options, value, onchange, more = {}) {
  return h("select", { ...more, onchange: (event) => onchange(event.target.value) },
    options.map(([key, text]) => h("option", { value: key, selected: key === value }, text)));
}

/** Tell who cannot see the page what has changed. */
export function announce(text) {
  const region = document.getElementById("announce");
  if (region) region.textContent = text;
}
