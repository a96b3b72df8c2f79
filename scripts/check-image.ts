/**
 * Builds the image, measures its own layers, and sweeps once through both services in containers with a read-only root and no
 * capabilities, against PostgreSQL and anvil: `./sweep test image`. It needs Linux, root, podman, buildah and runc, and says so
 * where they are absent. The full gate does not run it.
 */
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Console, Effect, FileSystem, Path, Schedule, Schema } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import * as Network from "../src/devnet/Network.ts"
import * as Ports from "../src/devnet/Ports.ts"
import * as Postgres from "../src/devnet/Postgres.ts"
import { createSweepClient } from "../src/sdk/index.ts"

const IMAGE = "token-sweep"
const BASE = "docker.io/oven/bun:1.4.5"
const TOOLS = ["podman", "buildah", "runc"] as const

/** Maximum size of the layers above the base image, in bytes. */
const LARGEST = 40_000_000

/** Part of the warning of a service without the native library. */
const SLOW = "recovered by viem"

/** Exit code of a service that SIGTERM ended in order. A killed one has 137. */
const ENDED = "130"

const root = new URL("..", import.meta.url).pathname

class ImageCheckFailed extends Schema.TaggedError<ImageCheckFailed>()("ImageCheckFailed", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

/** Runs a program and returns its output. */
const output = Effect.fnUntraced(function* (program: string, ...args: ReadonlyArray<string>) {
  const run = Bun.spawn([program, ...args], { cwd: root, stdout: "pipe", stderr: "pipe" })
  const [text, problem, code] = yield* Effect.promise(() =>
    Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text(), run.exited])
  )
  if (code === 0) return args.includes("logs") ? problem + text : text.trim()
  return yield* new ImageCheckFailed({ detail: `${program} ${args[0]} ended with ${code}: ${problem.slice(-2000)}` })
})

const sizeOf = (image: string) =>
  Effect.map(output("podman", "image", "inspect", "--format", "{{.Size}}", image), Number)

/** Hosts that are containers themselves have hybrid cgroups and refuse to raise limits. */
const podman = (...args: ReadonlyArray<string>) =>
  output("podman", "--cgroup-manager=cgroupfs", "--runtime", Bun.which("runc") ?? "runc", ...args)

const LIMITS = ["--ulimit", "nofile=1024:4096", "--ulimit", "nproc=1024:4096"]
const HARDENED = ["--read-only", "--tmpfs", "/tmp", "--cap-drop", "all", "--security-opt", "no-new-privileges"]

interface Service {
  readonly command: "orchestrator" | "builder-backend"
  readonly port: number
  readonly chainsFile: string
  readonly environment: Readonly<Record<string, string>>
}

/** Starts a service in a container, and returns its name once it is ready. Stopping it must succeed. */
const start = Effect.fnUntraced(function* ({ chainsFile, command, environment, port }: Service) {
  const name = `sweep-image-check-${command}-${port}`
  const settings = Object.entries(environment).flatMap(([key, value]) => ["--env", `${key}=${value}`])
  const mount = ["--volume", `${chainsFile}:/config/chains.json:ro`]
  yield* Effect.acquireRelease(
    podman(
      "run",
      "--detach",
      "--network=host",
      "--name",
      name,
      ...LIMITS,
      ...HARDENED,
      ...mount,
      ...settings,
      IMAGE,
      command
    ),
    () => Effect.ignore(podman("rm", "--force", name))
  )
  const ready = Effect.tryPromise(() => fetch(`http://127.0.0.1:${port}/readyz`)).pipe(
    Effect.map(({ ok }) => ok),
    Effect.orElseSucceed(() => false)
  )
  yield* ready.pipe(
    Effect.repeat({ schedule: Schedule.spaced("100 millis"), until: (isReady) => isReady }),
    Effect.timeoutOrElse({
      duration: "60 seconds",
      orElse: () =>
        Effect.flatMap(podman("logs", "--tail", "20", name), (log) =>
          Effect.fail(new ImageCheckFailed({ detail: `the ${command} is not ready:\n${log}` }))
        )
    })
  )
  return name
})

const build = Effect.gen(function* () {
  yield* output("buildah", "bud", "--isolation=chroot", "--network=host", "--format=docker", "-t", IMAGE, ".")
  const [image, base] = yield* Effect.all([sizeOf(IMAGE), sizeOf(BASE)])
  yield* Console.log(`image: ${((image - base) / 1e6).toFixed(1)} MB above the base of ${(base / 1e6).toFixed(1)} MB`)
  if (image - base > LARGEST)
    return yield* new ImageCheckFailed({ detail: `the layers have more than ${LARGEST} bytes` })
})

/** Program and arguments of the image's health check. */
const healthCheck = Effect.map(
  output("podman", "image", "inspect", "--format", "{{json .HealthCheck.Test}}", IMAGE),
  (text) => Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Schema.String)))(text).slice(1)
)

const sweepOnce = Effect.fnUntraced(function* (url: string, { chains: [dev], users }: Network.Network) {
  const [user] = users
  if (dev === undefined || user === undefined) return yield* new ImageCheckFailed({ detail: "the network is empty" })
  const { chain, tokens, uniswap } = dev
  const account = privateKeyToAccount(user.privateKey)
  const client = createSweepClient({
    orchestratorUrl: url,
    review: {
      delegates: { [chain.id]: chain.contracts.delegate },
      routers: { [chain.id]: uniswap.swapRouter },
      maxFeeBps: 1_000
    }
  })
  const result = yield* Effect.tryPromise({
    try: () =>
      client.sweep(
        {
          owner: account.address,
          tokenIn: tokens.DAI,
          amountIn: 25n * 10n ** 18n,
          tokenOut: tokens.USDC,
          destChainId: chain.id,
          sourceChainId: chain.id
        },
        account,
        { confirm: () => true }
      ),
    catch: (error) => new ImageCheckFailed({ detail: `the sweep failed: ${error}` })
  })
  yield* Console.log(`image: a sweep ended as ${result?.intent.status}`)
  if (result?.intent.status !== "delivered")
    return yield* new ImageCheckFailed({ detail: "the sweep was not delivered" })
})

const check = Effect.gen(function* () {
  yield* build
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const network = yield* Network.start()
  const database = yield* (yield* Postgres.start({ durable: false })).createDatabase("image")
  const chainsFile = path.join(yield* fs.makeTempDirectoryScoped(), "chains.json")
  const entries = network.chains.map((dev) => ({
    ...dev.chain,
    rpcUrls: [dev.rpcUrl],
    guardOwner: dev.deployer.address
  }))
  yield* fs.writeFileString(chainsFile, JSON.stringify(entries))
  yield* fs.chmod(path.dirname(chainsFile), 0o755)
  const [orchestratorPort, builderPort] = yield* Effect.all([Ports.free, Ports.free])
  const shared = { CHAINS_FILE: "/config/chains.json", DATABASE_URL: database, HOST: "127.0.0.1" }
  const token = "image-check"
  const builder = yield* start({
    command: "builder-backend",
    port: builderPort,
    chainsFile,
    environment: { ...shared, ADMIN_TOKEN: token, BUILDER_PORT: String(builderPort) }
  })
  const orchestrator = yield* start({
    command: "orchestrator",
    port: orchestratorPort,
    chainsFile,
    environment: {
      ...shared,
      ACROSS_FIXED_FEE_BPS: "10",
      BUILDER_ADMIN_TOKEN: token,
      BUILDER_URL: `http://127.0.0.1:${builderPort}`,
      ORCHESTRATOR_PORT: String(orchestratorPort),
      RELAYER_KEYS: network.relayers.map(({ privateKey }) => privateKey).join(",")
    }
  })
  yield* sweepOnce(`http://127.0.0.1:${orchestratorPort}`, network)
  const pages = [`${orchestratorPort}/docs`, `${orchestratorPort}/openapi.json`, `${builderPort}/app/`]
  for (const page of pages) {
    const { status } = yield* Effect.promise(() => fetch(`http://127.0.0.1:${page}`))
    if (status !== 200) return yield* new ImageCheckFailed({ detail: `${page} answered ${status}` })
  }
  for (const name of [orchestrator, builder]) {
    yield* podman("exec", name, ...(yield* healthCheck))
    const log = yield* podman("logs", name)
    if (log.includes(SLOW)) return yield* new ImageCheckFailed({ detail: `${name} has no native signatures:\n${log}` })
    yield* podman("stop", "--time", "20", name)
    const code = yield* podman("inspect", "--format", "{{.State.ExitCode}}", name)
    yield* Console.log(`image: ${name} was healthy, and ended with ${code} after SIGTERM`)
    if (code !== ENDED) return yield* new ImageCheckFailed({ detail: `${name} ended with ${code}` })
  }
}).pipe(Effect.scoped)

const missing = [
  ...TOOLS.filter((tool) => Bun.which(tool) === null),
  ...(process.platform === "linux" ? [] : ["Linux"]),
  ...(process.getuid?.() === 0 ? [] : ["root"])
]

const main = missing.length > 0 ? Console.log(`image: left out. Missing here: ${missing.join(", ")}`) : check

main.pipe(Effect.provide(BunServices.layer), BunRuntime.runMain)
