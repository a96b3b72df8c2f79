/**
 * Writes the bill of materials of the image (CycloneDX 1.6, JSON) to standard output, from `bun.lock` and the installed packages:
 * `./sweep sbom > sbom.json`. It ends with 1 if a package has a licence that is not accepted. `--check` only checks, and
 * `--licences` prints a table of packages and licences instead.
 */
import { join } from "node:path"
import { parseArgs } from "node:util"
import packageJson from "../package.json" with { type: "json" }

/** Packages of the web app, which the image contains as a bundle. `scripts/build-web.ts` puts Preact in the place of React. */
export const BUNDLED_IN_WEB = ["@tanstack/react-query", "@tanstack/react-router", "preact"] as const

/** Licences (SPDX) whose conditions the image meets by naming them. */
const ACCEPTED = new Set(["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "Unlicense"])

interface Installed {
  readonly dependencies?: Readonly<Record<string, string>>
}

/** The `packages` of `bun.lock`: by path in `node_modules`, the name with the version, and the hash of the archive. */
export type LockedPackages = Readonly<Record<string, ReadonlyArray<unknown>>>

export interface Component {
  /** Path in `node_modules` without its repetitions, such as `ethers/ws`. */
  readonly path: string
  readonly name: string
  readonly version: string
  /** Subresource integrity of the archive. */
  readonly integrity: string
}

/** The package that `name` means for the one at `path`: its own copy, or that of the nearest one above. */
const resolved = (locked: LockedPackages, path: string, name: string): string | undefined => {
  const own = path === "" ? name : `${path}/${name}`
  if (own in locked) return own
  if (path === "") return undefined
  const above = path.replace(/(^|\/)(@[^/]+\/)?[^/]+$/, "")
  return resolved(locked, above, name)
}

/** Every package that the named ones need at run time, sorted by path. Packages of other platforms are left out by Bun itself. */
export const closure = (locked: LockedPackages, names: ReadonlyArray<string>): ReadonlyArray<Component> => {
  const found = new Map<string, Component>()
  const visit = (path: string): void => {
    const entry = locked[path]
    if (entry === undefined || found.has(path)) return
    const [id, , needs, integrity] = entry
    const at = String(id).lastIndexOf("@")
    const [name, version] = [String(id).slice(0, at), String(id).slice(at + 1)]
    found.set(path, { path, name, version, integrity: String(integrity) })
    for (const dependency of Object.keys((needs as Installed).dependencies ?? {})) {
      const next = resolved(locked, path, dependency)
      if (next !== undefined) visit(next)
    }
  }
  for (const name of names) visit(name)
  return [...found.values()].toSorted((a, b) => a.path.localeCompare(b.path))
}

/** True if one of the alternatives of an SPDX expression is accepted in all of its parts. */
export const isAccepted = (expression: string): boolean =>
  expression
    .replace(/^\((.*)\)$/, "$1")
    .split(" OR ")
    .some((alternative) => alternative.split(" AND ").every((part) => ACCEPTED.has(part.trim())))

const hex = (integrity: string): string => Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex")

const purl = ({ name, version }: Component): string => `pkg:npm/${name.replace(/^@/, "%40")}@${version}`

/** The document, without a time or a random number: the same lock file gives the same bytes. */
export const document = (components: ReadonlyArray<Component & { readonly licence: string }>) => ({
  $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
  bomFormat: "CycloneDX",
  specVersion: "1.6",
  version: 1,
  metadata: {
    component: {
      type: "application",
      name: packageJson.name,
      version: packageJson.version,
      "bom-ref": packageJson.name
    }
  },
  components: components.map((component) => ({
    type: "library",
    "bom-ref": component.path,
    name: component.name,
    version: component.version,
    purl: purl(component),
    hashes: [{ alg: "SHA-512", content: hex(component.integrity) }],
    licenses: [{ expression: component.licence }]
  }))
})

/** Licence that the installed package names. */
const licenceOf = async (root: string, path: string): Promise<string> => {
  const directory = path.replaceAll(/((?:@[^/]+\/)?[^/]+)(\/|$)/g, (_, name, end) =>
    end === "" ? name : `${name}/node_modules/`
  )
  const file: { readonly license?: string } = await Bun.file(
    join(root, "node_modules", directory, "package.json")
  ).json()
  return file.license ?? "none"
}

/** The packages of the image, with their licences. */
export const read = async (root: string) => {
  const { packages } = Bun.JSONC.parse(await Bun.file(join(root, "bun.lock")).text()) as {
    readonly packages: LockedPackages
  }
  const components = closure(packages, [...Object.keys(packageJson.dependencies), ...BUNDLED_IN_WEB])
  return Promise.all(components.map(async (each) => ({ ...each, licence: await licenceOf(root, each.path) })))
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { check: { type: "boolean", default: false }, licences: { type: "boolean", default: false } }
  })
  const components = await read(join(import.meta.dirname, ".."))
  const refused = components.filter(({ licence }) => !isAccepted(licence))
  const table = components.map(({ licence, name, version }) => `${licence.padEnd(20)} ${name}@${version}\n`).join("")
  if (!values.check)
    process.stdout.write(values.licences ? table : `${JSON.stringify(document(components), null, 2)}\n`)
  for (const { licence, name } of refused)
    process.stderr.write(`sbom: the licence of ${name} is not accepted: ${licence}\n`)
  if (values.check)
    process.stdout.write(`sbom: ${components.length} packages, ${refused.length} with a refused licence\n`)
  process.exitCode = refused.length === 0 ? 0 : 1
}
