/** Runs every example as an integrator does: in a project of its own, against the local network. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, FileSystem, Layer, Path, Schema } from "effect"
import { DevInfo } from "../../src/devnet/DevInfo.ts"
import { throughBundle } from "../support/Program.ts"
import { balanceOf, place, Services } from "../support/Services.ts"
import * as Browser from "../web/Browser.ts"
import * as PageServer from "./PageServer.ts"
import * as Project from "./Project.ts"

class Integrator extends Context.Service<Integrator, { readonly directory: string; readonly dev: string }>()(
  "sweep/test/Integrator"
) {
  static readonly layer = Layer.effect(
    Integrator,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const { info } = yield* Services
      const made = yield* fs.makeTempDirectoryScoped({ prefix: "sweep-examples-" })
      const directory = yield* Effect.promise(() => Project.make(made))
      const dev = path.join(made, "dev.json")
      yield* fs.writeFileString(dev, yield* Schema.encodeEffect(Schema.fromJsonString(DevInfo))(info))
      return { directory, dev }
    })
  ).pipe(Layer.provide(BunServices.layer), Layer.orDie)
}

const succeeds = Effect.fnUntraced(function* (command: ReadonlyArray<string>, cwd: string) {
  const env = yield* Effect.promise(throughBundle)
  const { code, error, out } = yield* Effect.promise(() => Project.run(command, { cwd, env }))
  assert.strictEqual(code, 0, `${out}${error}`)
  return out
})

layer(Integrator.layer.pipe(Layer.provideMerge(Services.layer())), {
  excludeTestServices: true
})("The examples", (it) => {
  it.effect("node-sweep.mjs sweeps, in plain Node", () =>
    Effect.gen(function* () {
      const { dev, directory } = yield* Integrator
      const out = yield* succeeds(["node", "node-sweep.mjs", dev], directory)
      assert.match(out, /send +25 DAI/)
      assert.match(out, /status +delivered\ndone +0x[0-9a-f]{64}/)
    })
  )

  for (const example of ["viem-sweep.mjs", "ethers-sweep.mjs"]) {
    it.effect(`${example} sweeps without the client, in plain Node`, () =>
      Effect.gen(function* () {
        const { dev, directory } = yield* Integrator
        const out = yield* succeeds(["node", example, dev], directory)
        assert.match(out, /status +delivered\ndone +0x[0-9a-f]{64}/)
      })
    )
  }

  it.effect("agent.mjs sweeps by the MCP server's tools, in plain Node", () =>
    Effect.gen(function* () {
      const { dev, directory } = yield* Integrator
      const out = yield* succeeds(["node", "agent.mjs", dev, `${Project.root}/sweep`], directory)
      assert.match(out, /tools +get_quote, submit_signed, get_intent_status/)
      assert.match(out, /done +delivered 0x[0-9a-f]{64}/)
    })
  )

  it.effect("agent.mjs sweeps a wallet on two chains with one signature", () =>
    Effect.gen(function* () {
      const { dev, directory } = yield* Integrator
      const out = yield* succeeds(["node", "agent.mjs", dev, `${Project.root}/sweep`, "wallet"], directory)
      assert.match(out, /owner +send 25 DAI, .*\nowner +send 40 USDC, /)
      assert.strictEqual(out.match(/tool +submit_sweep\n/g)?.length, 1, out)
      assert.strictEqual(out.match(/done +delivered 0x[0-9a-f]{64}/g)?.length, 2, out)
    })
  )

  it.effect("the browser page type-checks", () =>
    Effect.gen(function* () {
      const { directory } = yield* Integrator
      yield* Effect.promise(() => Bun.write(`${directory}/tsconfig.json`, Project.tsconfig(["browser/main.ts"])))
      const { code, out } = yield* Effect.promise(() => Project.typeCheck(directory))
      assert.strictEqual(code, 0, out)
    })
  )

  it.effect(
    "the browser page shows the review, sweeps in a real browser, and signs nothing that the user or the review refuses",
    () =>
      Effect.gen(function* () {
        const { directory } = yield* Integrator
        const services = yield* Services
        const alpha = place(services, 0)
        const browser = yield* Browser.open
        const url = yield* PageServer.serve(`${directory}/browser/index.html`)
        const giver = services.info.accounts[3]
        const dai = alpha.info.tokens["DAI"]
        const usdc = alpha.info.tokens["USDC"]
        if (giver === undefined || dai === undefined || usdc === undefined) return assert.fail("nothing to sweep")
        const before = yield* balanceOf(alpha, "USDC", giver.address)
        yield* Effect.promise(async () => {
          const page = await Browser.newPage(browser)
          const troubles: Array<string> = []
          page.on("pageerror", (error) => troubles.push(error.message))
          await page.goto(url)
          const fields = {
            url: services.info.orchestratorUrl,
            key: giver.privateKey,
            tokenIn: dai.address,
            amountIn: "30000000000000000000",
            tokenOut: usdc.address,
            minAmountOut: "25000000",
            chainId: String(alpha.info.id),
            delegate: alpha.info.delegate,
            router: alpha.info.swapRouter
          }
          for (const [name, value] of Object.entries(fields)) await page.fill(`input[name=${name}]`, value)

          await page.click("text=Review")
          await page.waitForSelector("#review dt")
          assert.include(await page.innerText("#review"), `30000000000000000000 of ${dai.address}`)
          await page.click("text=Cancel")
          await page.waitForSelector("#status:has-text('cancelled')")

          await page.click("text=Review")
          await page.click("text=Sign and sweep")
          await page.waitForSelector("#status:has-text('delivered by 0x')")

          await page.fill("input[name=delegate]", giver.address)
          await page.click("text=Review")
          await page.waitForSelector("#status:has-text('do not sign: quote.settlementAddress')")

          await page.fill("input[name=amountIn]", "1")
          await page.click("text=Review")
          await page.waitForSelector("#status:has-text('quote_unavailable')")
          assert.deepStrictEqual(troubles, [])
        })
        assert.isTrue((yield* balanceOf(alpha, "USDC", giver.address)) > before + 25_000_000n)
      }).pipe(Effect.scoped)
  )
})
