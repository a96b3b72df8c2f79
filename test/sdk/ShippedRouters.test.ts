/** A package that is built with an operator's routers and domain name reads and signs for those, without any option. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Hex } from "viem"
import { buildEntries } from "../../scripts/build-sdk.ts"
import * as Project from "../examples/Project.ts"
import { DELEGATE, NOW_MS, OTHER, replaced, request, ROUTER, routed, swapOf, wireOffer } from "./Offers.ts"
import { EXCHANGES, solidly, v2 } from "./VenueCalls.ts"

const DOMAIN_NAME = 'Dust "to" `gold`'

/** Reviews responses, and prints the domain name or the mismatches of each. */
const PROGRAM = `
import { DEFAULT_DOMAIN_NAME, OrderMismatchError, readOffer, reviewOrder, SHIPPED_ROUTERS } from "token-sweep"
const { amountIn, offers, request, nowMs } = JSON.parse(process.argv[2])
const outcomes = offers.map((offer) => {
  try {
    return reviewOrder(readOffer(offer), { ...request, amountIn: BigInt(amountIn) }, { nowMs }).typedData.domain.name
  } catch (error) {
    if (error instanceof OrderMismatchError) return error.mismatches.map(({ field }) => field)
    throw error
  }
})
const routers = Object.entries(SHIPPED_ROUTERS).map(([id, readers]) => [id, Object.keys(readers)])
console.log(JSON.stringify({ name: DEFAULT_DOMAIN_NAME, routers, outcomes }))
`

const V2 = EXCHANGES["Uniswap v2"].router

const offerOf = (swapTarget: Hex, swapCalldata: Hex, name = DOMAIN_NAME) =>
  replaced(
    wireOffer(request, { order: { swapTarget, swapCalldata } }),
    ["signing", "typedData", "domain", "name"],
    () => name
  )

describe("the routers of a package", () => {
  let project = ""
  let code = ""

  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), "sweep-routers-"))
    const installed = join(project, "node_modules", "token-sweep")
    await mkdir(installed, { recursive: true })
    await buildEntries(installed, {
      delegates: { 8453: DELEGATE },
      routers: { 8453: { [V2]: "readUniswapV2Call", [OTHER]: "readSolidlyCall" } },
      domainName: DOMAIN_NAME
    })
    await writeFile(join(installed, "package.json"), `{"name":"token-sweep","type":"module","exports":"./index.js"}`)
    await symlink(join(Project.root, "node_modules", "viem"), join(project, "node_modules", "viem"))
    await writeFile(join(project, "review.mjs"), PROGRAM)
    const page = join(project, "page.js")
    await writeFile(page, `export * from "token-sweep"`)
    const { outputs } = await Bun.build({ entrypoints: [page], external: ["viem", "viem/*"], target: "browser" })
    code = (await Promise.all(outputs.map((output) => output.text()))).join("")
  })
  afterAll(() => rm(project, { recursive: true, force: true }))

  const reviewed = async (...offers: ReadonlyArray<ReturnType<typeof offerOf>>) => {
    const amountIn = String(request.amountIn)
    const input = JSON.stringify({ offers, nowMs: NOW_MS, amountIn, request: { ...request, amountIn } })
    const { code, error, out } = await Project.run(["node", "review.mjs", input], { cwd: project })
    assert.strictEqual(code, 0, error)
    return JSON.parse(out)
  }

  it("are accepted without an option, and no others, in the deployment's domain", async () => {
    const name = DOMAIN_NAME
    assert.deepStrictEqual(
      await reviewed(
        offerOf(V2, v2()),
        offerOf(OTHER, solidly()),
        offerOf(V2, solidly()),
        offerOf(ROUTER, routed(swapOf())),
        offerOf(V2, v2(), "Service")
      ),
      {
        name,
        routers: [["8453", [V2, OTHER]]],
        outcomes: [name, name, ["order.swapCalldata"], ["order.swapTarget"], ["signing.typedData.domain.name"]]
      }
    )
  })

  it("come with their own readers alone", () => {
    assert.include(code, "swapExactTokensForETH")
    assert.include(code, "address,address,bool,address")
    assert.notInclude(code, "address,address,int24")
  })
})
