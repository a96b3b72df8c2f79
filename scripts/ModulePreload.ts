/**
 * Has a page request all scripts of a part at once when it loads the part. Otherwise a browser learns from the part's script which other
 * scripts that imports, and asks for them one round trip later.
 */
import { readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"

/** Path under which the files are served. */
const BASE = "/app/"

/** An import that runs when the part is needed, as the bundler writes it. */
const LAZY = /\bimport\("(\/app\/[^"]+\.js)"\)/g

/** An import that runs before the script that has it. */
const EAGER = /\b(?:from|import)"(\/app\/[^"]+\.js)"/g

const NAME = "preloadAll"

/** Runs in the page. A script that is loaded already is not requested again. */
const HELPER =
  `const ${NAME}=(...urls)=>{for(const href of urls)` +
  `document.head.append(Object.assign(document.createElement("link"),{rel:"modulepreload",href}))};`

const eagerOf = (source: string): ReadonlyArray<string> => Array.from(source.matchAll(EAGER), ([, url = ""]) => url)

/** A script with everything that it imports before it runs. */
const closureOf = (url: string, sources: ReadonlyMap<string, string>): ReadonlySet<string> => {
  const found = new Set([url])
  // A set is read on while it grows.
  for (const each of found) for (const next of eagerOf(sources.get(each) ?? "")) found.add(next)
  return found
}

/** The source of a script that requests whole parts. `url` is its own. */
export const withPreloads = (url: string, sources: ReadonlyMap<string, string>): string => {
  const source = sources.get(url) ?? ""
  const here = closureOf(url, sources)
  const changed = source.replace(LAZY, (lazy, part: string) => {
    const others = [...closureOf(part, sources)].filter((each) => each !== part && !here.has(each))
    return others.length === 0 ? lazy : `(${NAME}(${others.map((each) => JSON.stringify(each)).join()}),${lazy})`
  })
  return changed === source ? source : HELPER + changed
}

/** Rewrites the scripts of a build. Their names stay: they follow from the imports too, which the preloads repeat. */
export const addPreloads = async (directory: string): Promise<void> => {
  const names = (await readdir(directory, { recursive: true })).filter((name) => name.endsWith(".js"))
  const read = async (name: string) => [BASE + name, await Bun.file(join(directory, name)).text()] as const
  const sources = new Map(await Promise.all(names.map(read)))
  await Promise.all(names.map((name) => writeFile(join(directory, name), withPreloads(BASE + name, sources))))
}
