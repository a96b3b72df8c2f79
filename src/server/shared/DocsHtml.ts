/** Renders a documentation page as HTML: its Markdown, and the list of all pages beside it. */
import { Marked } from "marked"
import { type DocsFile, type DocsFiles, PATH, targetOf } from "./DocsFiles.ts"

/** Path of the API reference that is made from the service's own contract. */
export const API_PATH = `${PATH}/api`

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

/** The anchor of a heading, as GitHub makes it: lower case, no punctuation, hyphens for spaces. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .trim()
    .replaceAll(" ", "-")

/** The URL that a link of the page leads to when it is served; undefined for a file that is not served. */
const hrefOf = (files: DocsFiles, { file }: DocsFile, link: string): string | undefined => {
  if (link.startsWith("#")) return link
  const target = targetOf(file, link)
  if (target === undefined) return link
  const page = files.pages.values().find((other) => other.file === target)
  const anchor = /#.*$/.exec(link)?.[0] ?? ""
  if (page !== undefined) return `${page.path}${anchor}`
  return files.documents.has(`/${target}`) ? `/${target}` : undefined
}

const renderer = (files: DocsFiles, page: DocsFile) =>
  new Marked({
    renderer: {
      heading({ depth, text, tokens }) {
        const id = anchorOf(text.replaceAll("`", ""))
        return `<h${depth} id="${escapeHtml(id)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const url = hrefOf(files, page, href)
        const text = this.parser.parseInline(tokens)
        return url === undefined ? text : `<a href="${escapeHtml(url)}">${text}</a>`
      },
      image({ href, text }) {
        const path = `/${targetOf(page.file, href) ?? ""}`
        const image = files.images.get(path)
        if (image === undefined) return escapeHtml(text)
        // With its size, so that the text below does not move when it arrives.
        const { height, width } = image
        return `<img alt="${escapeHtml(text)}" height="${height}" loading="lazy" src="${path}" width="${width}">`
      },
      // A comment in Markdown is for the authors of the page.
      html: () => ""
    }
  })

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d9dde5, #2b3140); --soft: light-dark(#f4f5f8, #171b24);
  --ink: light-dark(#14171f, #eceef3); --muted: light-dark(#565f70, #a0a8b8); --accent: light-dark(#4f46e5, #a5a8ff);
  background: light-dark(#fff, #0f1219); color: var(--ink); }
body { margin: 0 auto; max-width: 78rem; display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 3rem;
  padding: 2rem 1.5rem; font: 16px/1.6 system-ui, sans-serif; }
nav { position: sticky; top: 2rem; align-self: start; max-height: calc(100vh - 4rem); overflow: auto; font-size: .9rem; }
nav p { margin: 1.2rem 0 .3rem; font-weight: 600; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: .15rem 0; color: var(--muted); text-decoration: none; }
nav a[aria-current], nav a:hover { color: var(--accent); }
main { max-width: 52rem; }
h1, h2, h3, h4 { line-height: 1.25; margin: 2em 0 .6em; }
h1 { margin-top: 0; }
a { color: var(--accent); }
img { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: 8px; }
pre, code { font-family: ui-monospace, SFMono-Regular, Menlo, monospace; font-size: .88em; }
code { background: var(--soft); padding: .1em .3em; border-radius: 4px; overflow-wrap: anywhere; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1rem; overflow: auto; }
pre code { background: none; padding: 0; overflow-wrap: normal; }
table { display: block; overflow-x: auto; border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: .4rem .6rem; text-align: left; vertical-align: top; }
th { background: var(--soft); }
@media (max-width: 52rem) { body { display: block; } nav { position: static; max-height: none; margin-bottom: 2rem; } }
`

/** The hash that lets a content security policy allow the page's style sheet and no other. */
export const STYLE_HASH = `sha256-${new Bun.CryptoHasher("sha256").update(STYLE).digest("base64")}`

const SECTIONS = [
  ["Tutorials", "docs/tutorial/"],
  ["How-to guides", "docs/how-to/"],
  ["Reference", "docs/reference/"],
  ["Explanation", "docs/explanation/"]
] as const

const link = (path: string, title: string, current: string): string =>
  `<li><a href="${path}"${path === current ? ' aria-current="page"' : ""}>${escapeHtml(title)}</a></li>`

const navigation = ({ pages }: DocsFiles, current: string): string => {
  const all = [...pages.values()]
  const section = (title: string, items: ReadonlyArray<string>) =>
    items.length === 0 ? "" : `<p>${title}</p><ul>${items.join("")}</ul>`
  const listed = (prefix: string) =>
    all.filter(({ file }) => file.startsWith(prefix)).map(({ path, title }) => link(path, title, current))
  const others = all.filter(
    ({ file, path }) => path !== PATH && !SECTIONS.some(([, prefix]) => file.startsWith(prefix))
  )
  return [
    `<ul>${link(PATH, "Documentation", current)}</ul>`,
    ...SECTIONS.map(([title, prefix]) => section(title, listed(prefix))),
    section(
      "Project",
      others.map(({ path, title }) => link(path, title, current))
    ),
    section("This service", [
      link(API_PATH, "API explorer", current),
      link("/openapi.json", "OpenAPI document", current)
    ])
  ].join("\n")
}

/** The page as a whole HTML document, with links to the other pages as they are served. */
export const render = (files: DocsFiles, page: DocsFile): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(page.title)} · Token sweep</title>
<style>${STYLE}</style>
</head>
<body>
<nav aria-label="Documentation">${navigation(files, page.path)}</nav>
<main>
${renderer(files, page).parse(page.text, { async: false })}</main>
</body>
</html>
`
