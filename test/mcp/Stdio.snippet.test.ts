/** Runs the integration snippet of the server's tools, as a model would hand it to an integrator. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as Address from "../../src/domain/Address.ts"
import * as Project from "../examples/Project.ts"
import { balanceOf, type Place, place, Services } from "../support/Services.ts"
import * as Support from "../support/SweepClient.ts"
import { DESTINATION, call, connect, setUp } from "./stdioClient.ts"

layer(Services.layer(), { excludeTestServices: true })("The integration snippet over stdio", (it) => {
  it.effect("writes code that type-checks as it stands, and sweeps", () =>
    Effect.gen(function* () {
      const { alpha, services, trusted } = yield* setUp
      const client = yield* connect(trusted)
      const beta = place(services, 1)
      const made = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "sweep-snippet-"))),
        (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
      )
      const { text: generated } = yield* call(client, "gen_integration_snippet", {
        sourceChainId: alpha.info.id,
        sweepRouter: alpha.info.entry
      })
      const setting = "const DELEGATE: Hex | undefined = undefined"
      assert.include(generated, setting)
      const more = "const MORE_DELEGATES: Partial<Record<number, Hex>> = {}"
      assert.include(generated, more)
      const routers = "const ROUTERS: Partial<Record<number, Record<Hex, RouterKind>>> = {\n"
      assert.include(generated, routers)
      const text = generated
        .replace(setting, `const DELEGATE: Hex | undefined = "${alpha.info.delegate}"`)
        .replace(more, `${more.slice(0, -1)} ${beta.info.id}: "${beta.info.delegate}" }`)
        .replace(routers, `${routers}${alpha.info.id}: { "${alpha.info.swapRouter}": "router02" },\n`)
        // Fixed costs are a large share of such small amounts.
        .replace("MAX_FEE_BPS = 500n", "MAX_FEE_BPS = 1000n")
      const key = generatePrivateKey()
      const owner = Address.of(privateKeyToAccount(key).address)
      yield* alpha.dev.fund(owner, { token: "DAI", amount: 30n * 10n ** 18n })
      yield* alpha.dev.fund(owner, { token: "USDC", amount: 60_000_000n })
      yield* alpha.dev.fund(owner, { token: "USDT", amount: 40_000_000n })
      yield* beta.dev.fund(owner, { token: "USDC", amount: 50_000_000n })
      const address = (where: Place, symbol: string) => JSON.stringify(Support.tokenOf(where.info, symbol).address)
      const intoEther = `{ tokenIn: ${address(alpha, "USDC")}, amountIn: 30_000_000n, tokenOut: ${address(beta, "ETH")}, destChainId: ${beta.info.id}, route: "${alpha.info.name}->${beta.info.name}" }`
      const known = [alpha, beta].map(({ dev, info }) => {
        const tokens = { WETH: { address: dev.tokens.WETH, decimals: 18 } }
        const { spokePool, spokePoolPeriphery: periphery } = dev
        return `${info.id}: ${JSON.stringify({ spokePool, periphery, wrappedNative: dev.tokens.WETH, tokens })},\n`
      })
      const main = `
import { privateKeyToAccount } from "viem/accounts"
import { sweep } from "./snippet.ts"
import { sweep as sweepKnowing, sweepWallet } from "./knowing.ts"
import { sweep as sweepUnconfigured } from "./unconfigured.ts"

const account = privateKeyToAccount(process.env["KEY"] as \`0x\${string}\`)
const show = (reviewed: unknown) => {
  console.error(reviewed)
  return true
}
const ended = [
  await sweep(account, { tokenIn: ${address(alpha, "DAI")}, amountIn: 30n * 10n ** 18n, tokenOut: ${address(alpha, "USDC")}, destChainId: ${alpha.info.id}, destination: "${DESTINATION}" }, show),
  await sweepKnowing(account, { tokenIn: ${address(alpha, "USDC")}, amountIn: 30_000_000n, tokenOut: ${address(beta, "USDC")}, destChainId: ${beta.info.id}, route: "${alpha.info.name}->${beta.info.name}" }, show),
  await sweep(account, { tokenIn: ${address(alpha, "DAI")}, amountIn: 1n, tokenOut: ${address(alpha, "USDC")}, destChainId: ${alpha.info.id} }, show).catch((error: Error) => ({ status: error.message })),
  await sweep(account, ${intoEther}, show).catch((error: Error) => ({ status: error.message })),
  await sweepUnconfigured(account, ${intoEther}, show).catch((error: Error) => ({ status: error.message })),
  await sweepKnowing(account, ${intoEther}, show)
]
const tokens = [
  { chainId: ${alpha.info.id}, token: ${address(alpha, "USDT")}, amount: 40_000_000n },
  { chainId: ${beta.info.id}, token: ${address(beta, "USDC")}, amount: 30_000_000n },
  { chainId: ${beta.info.id}, token: ${address(beta, "DAI")}, amount: 1n }
] as const
const wallet = await sweepWallet(account, { tokens: [...tokens], tokenOut: ${address(alpha, "USDC")}, destChainId: ${alpha.info.id} }, ({ leftOut, legs }) => {
  console.error(leftOut)
  return legs.length === 2 && leftOut.length === 1
})
console.log(JSON.stringify([...ended, ...(wallet?.intents ?? [])].map((intent) => intent?.status)))
`
      yield* Effect.promise(async () => {
        const project = await Project.make(made)
        await Bun.write(join(project, "snippet.ts"), text)
        await Bun.write(
          join(project, "unconfigured.ts"),
          generated.replace("MAX_FEE_BPS = 500n", "MAX_FEE_BPS = 1000n")
        )
        // Chains that the code does not know, as an integrator adds them.
        const table = "const BRIDGES: Partial<Record<number, Bridge>> = {\n"
        await Bun.write(join(project, "knowing.ts"), text.replace(table, `${table}${known.join("")}`))
        await Bun.write(join(project, "main.ts"), main)
        await Bun.write(
          join(project, "tsconfig.json"),
          Project.tsconfig(["snippet.ts", "knowing.ts", "unconfigured.ts"]).replace(
            '"strict":true',
            '"strict":true,"noUnusedLocals":true,"exactOptionalPropertyTypes":true,"noUncheckedIndexedAccess":true'
          )
        )
        const checked = await Project.typeCheck(project)
        assert.strictEqual(checked.code, 0, `${checked.out}${text}`)
        const ran = await Project.run([process.execPath, "main.ts"], { cwd: project, env: { KEY: key } })
        assert.strictEqual(ran.code, 0, ran.error)
        const [onOneChain, acrossTwo, refused, unknown, unconfigured, intoAnother, ...together] = JSON.parse(ran.out)
        assert.deepStrictEqual([onOneChain, acrossTwo], ["delivered", "delivered"], ran.error)
        assert.include(refused, "422 internal error")
        assert.include(unknown, "do not sign: the bridge pays")
        assert.include(unconfigured, "do not sign: set DELEGATE")
        assert.strictEqual(intoAnother, "delivered", ran.error)
        assert.deepStrictEqual(together, ["delivered", "delivered"], ran.error)
      })
      assert.isTrue((yield* balanceOf(alpha, "USDC", DESTINATION)) > 0n)
      assert.isTrue((yield* balanceOf(beta, "USDC", owner)) > 0n)
      assert.isTrue((yield* balanceOf(beta, "ETH", owner)) > 0n)
    }).pipe(Effect.scoped)
  )
})
