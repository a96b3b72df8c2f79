/** The documentation's files: Markdown pages of the checkout, each with the URL path that it is served at. */

/** Path of the index page. */
export const PATH = "/docs"

/** A Markdown page. */
export interface DocsFile {
  /** Path from the root of the checkout, such as `docs/tutorial/first-sweep.md`. */
  readonly file: string
  /** URL path, such as `/docs/tutorial/first-sweep`. */
  readonly path: string
  readonly title: string
  readonly text: string
}

/** A WebP picture, with its size in pixels. */
export interface DocsImage {
  readonly bytes: Uint8Array
  readonly width: number
  readonly height: number
}

export interface DocsFiles {
  /** By URL path, in the order in which the index page links to them. */
  readonly pages: ReadonlyMap<string, DocsFile>
  /** The OpenAPI documents by URL path, as JSON. */
  readonly documents: ReadonlyMap<string, string>
  /** Pictures by URL path. */
  readonly images: ReadonlyMap<string, DocsImage>
}

export const INDEX = "docs/README.md"

const ROOT = new URL("../../../", import.meta.url).pathname

/** Pages that stand elsewhere in the checkout. */
const OTHERS: Readonly<Record<string, string>> = {
  [INDEX]: PATH,
  "ARCHITECTURE.md": `${PATH}/architecture`,
  "CHANGELOG.md": `${PATH}/changelog`,
  "examples/README.md": `${PATH}/examples`
}

const pathOf = (file: string): string => OTHERS[file] ?? `/${file.replace(/\.md$/, "")}`

const titleOf = (file: string, text: string): string => /^# (.+)$/m.exec(text)?.[1] ?? file

const LINK = /\]\(([^)#\s]+)/g

/** A link's target as a path from the root of the checkout; undefined for a URL. */
export const targetOf = (file: string, link: string): string | undefined =>
  /^[a-z]+:/.test(link) ? undefined : new URL(link, `file:///${file}`).pathname.slice(1)

/** Pages in the order of the index; those that it does not link to come last, by name. */
const ordered = (pages: ReadonlyArray<DocsFile>): ReadonlyArray<DocsFile> => {
  const index = pages.find(({ file }) => file === INDEX)
  const linked = Array.from(index?.text.matchAll(LINK) ?? [], ([, link = ""]) => targetOf(INDEX, link))
  const rank = ({ file }: DocsFile) => (file === INDEX ? -1 : linked.indexOf(file) + 1 || linked.length + 1)
  return pages.toSorted((a, b) => rank(a) - rank(b) || a.file.localeCompare(b.file))
}

const read = async (file: string): Promise<string | undefined> => {
  const content = Bun.file(`${ROOT}${file}`)
  return (await content.exists()) ? content.text() : undefined
}

/**
 * Offsets of the width and of the height less one, of 24 bits each, in the extended WebP format (RFC 9649, section 2.7), which Chromium
 * writes.
 */
const WIDTH_OFFSET = 24
const HEIGHT_OFFSET = 27

const imageOf = async (name: string): Promise<readonly [string, DocsImage]> => {
  const bytes = await Bun.file(`${ROOT}${name}`).bytes()
  const size = (offset: number) => Buffer.from(bytes.buffer, bytes.byteOffset).readUIntLE(offset, 3) + 1
  return [`/${name}`, { bytes, width: size(WIDTH_OFFSET), height: size(HEIGHT_OFFSET) }]
}

/** Reads every page. An installation without the files has no pages. */
export const load = async (): Promise<DocsFiles> => {
  const scan = (pattern: string) => Array.fromAsync(new Bun.Glob(pattern).scan({ cwd: ROOT }))
  const names = [...Object.keys(OTHERS), ...(await scan("docs/*/*.md"))]
  const pages = await Promise.all(
    names.map(async (file): Promise<ReadonlyArray<DocsFile>> => {
      const text = await read(file)
      return text === undefined ? [] : [{ file, path: pathOf(file), title: titleOf(file, text), text }]
    })
  )
  const documents = await Promise.all(
    (await scan("docs/openapi/*.json")).map(async (file) => [`/${file}`, (await read(file)) ?? ""] as const)
  )
  return {
    pages: new Map(ordered(pages.flat()).map((page) => [page.path, page])),
    documents: new Map(documents),
    images: new Map(await Promise.all((await scan("docs/images/*.webp")).map(imageOf)))
  }
}
