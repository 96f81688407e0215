/** Creates elements. */

type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, unknown>;

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Creates an HTML element. Attributes that begin with `on` are event listeners; `false`, `null` and
 * `undefined` leave an attribute out, `true` is an attribute without a value.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

/** Creates an SVG element, as `h`. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith('on') && typeof value === 'function') {
      element.addEventListener(name.slice(2), value as EventListener);
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(typeof child === 'number' ? String(child) : child);
  }
  return element;
}

/** The element with an id, which the page's own HTML has. */
export function byId<E extends HTMLElement = HTMLElement>(id: string): E {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element #${id}`);
  return element as E;
}

/** Calls a function when the width of an element changes; returns a function that ends this. */
export function onResize(element: HTMLElement, call: (width: number, height: number) => void): () => void {
  let last = '';
  const observer = new ResizeObserver(() => {
    const { clientWidth, clientHeight } = element;
    const size = `${clientWidth}x${clientHeight}`;
    if (size === last || clientWidth === 0) return;
    last = size;
    call(clientWidth, clientHeight);
  });
  observer.observe(element);
  return () => observer.disconnect();
}
