/** The steps of the drill, in order. */
import { Effect, Schedule } from "effect"
import type { Address } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { describe } from "../../src/devnet/DevNetwork.ts"
import * as Alarms from "./Alarms.ts"
import * as Alerting from "./Alerting.ts"
import * as Balancer from "./Balancer.ts"
import * as Books from "./Books.ts"
import * as Counting from "./Counting.ts"
import * as Database from "./Database.ts"
import { must, type Report } from "./Report.ts"
import * as Redis from "./Redis.ts"
import type { Service } from "./Replica.ts"
import * as Replicas from "./Replicas.ts"
import { recovered } from "./Recovery.ts"
import * as Rules from "./Rules.ts"
import * as Setup from "./Setup.ts"
import * as Shell from "./Shell.ts"
import * as Traffic from "./Traffic.ts"
import * as WorldClock from "./WorldClock.ts"

export interface Scene {
  readonly report: Report
  readonly shell: Shell.Shell
  readonly replicas: Replicas.Replicas
  readonly traffic: Traffic.Traffic
  readonly alarms: Alarms.Alarms
  readonly all: Setup.Chains
  readonly clock: WorldClock.WorldClock
  readonly places: readonly [Traffic.Place, Traffic.Place]
  readonly create: (name: string) => Effect.Effect<string, { readonly message: string }>
  readonly databaseUrl: string
  /** Accounts of the lanes, by their keystores' numbers less one. */
  readonly lanes: Array<Address>
}

/** Waits at most this long for what an operator's command must reach. */
const again = { schedule: Schedule.spaced("2 seconds"), times: 60 }

type Guard = Traffic.Place["info"]["guard"]

/** The chains with the contracts that `sweep deploy` deployed, as `GET /chains` names them. */
const placesOf = Effect.fnUntraced(function* (all: Setup.Chains, url: string) {
  const { chains } = yield* Effect.promise(
    () =>
      fetch(`${url}/chains`).then((answer) => answer.json()) as Promise<{
        readonly chains: ReadonlyArray<{ readonly id: number; readonly contracts: { readonly guard: Guard } }>
      }>
  )
  const placeOf = (dev: Setup.Chains[number]): Traffic.Place => {
    const guard = chains.find(({ id }) => id === dev.chain.id)?.contracts.guard
    const info = describe(dev)
    return { dev, info: { ...info, guard: guard ?? info.guard } }
  }
  return [placeOf(all[0]), placeOf(all[1])] as const
})

const killed = ({ replicas, traffic }: Scene, service: Service) =>
  Effect.gen(function* () {
    yield* traffic.more(3)
    yield* replicas.kill(service)
    yield* traffic.more(6)
    yield* replicas.startOne(service)
    yield* traffic.more(3)
  })

const paused = ({ alarms, shell: { output }, traffic }: Scene) =>
  Effect.gen(function* () {
    const refused = Effect.repeat(traffic.quotedThere, {
      until: (status) => status === 422,
      schedule: Schedule.spaced("100 millis")
    }).pipe(Effect.timeout("2 seconds"))
    yield* alarms.provoked(
      "relayer_paused",
      Effect.andThen(output("sweep operate pause chain:31338 --reason drill"), refused),
      Effect.andThen(output("sweep operate resume chain:31338"), output("sweep operate reset chain:31338"))
    )
    yield* traffic.more(6)
  })

/** Another URL of the same node is added. Then the first one is taken away, and all returns to the file. */
const rerouted = ({ all: [alpha, beta], shell: { output, run, write }, traffic }: Scene) =>
  Effect.gen(function* () {
    interface View {
      readonly chainId: number
      readonly endpoints: ReadonlyArray<{ readonly id: string }>
    }
    const listed = JSON.parse(yield* output("sweep operate endpoints list --json")) as ReadonlyArray<View>
    const id = listed.find(({ chainId }) => chainId === 31_337)?.endpoints[0]?.id
    const alone = yield* run(`sweep operate endpoints remove ${id} --chain 31337`)
    yield* must(alone.code !== 0, "the last endpoint could be taken away")
    yield* write("wrong.url", beta.rpcUrl)
    const wrong = yield* run("sweep operate endpoints add --chain 31337 --url-file wrong.url")
    yield* must(wrong.err.includes("serves chain 31338"), `another chain's endpoint was not refused: ${wrong.err}`)
    yield* write("second.url", `${alpha.rpcUrl}/?key=of-the-drill`)
    yield* output("sweep operate endpoints add --chain 31337 --url-file second.url --reason drill")
    yield* output(`sweep operate endpoints remove ${id} --chain 31337 --reason drill`)
    yield* traffic.more(6)
    yield* output("sweep operate endpoints clear --chain 31337 --reason drill")
  })

const rotated = (scene: Scene) =>
  Effect.gen(function* () {
    const { all, lanes, replicas, shell, traffic } = scene
    const { output, settings } = shell
    const keys = (...numbers: ReadonlyArray<number>) =>
      settings({ RELAYER_KEYS: numbers.map(Setup.laneSetting).join(",") })
    lanes.push(yield* Setup.lane(shell, all, 3))
    yield* keys(1, 2, 3)
    yield* replicas.restart("orchestrator")
    yield* traffic.more(3)
    const [old, heir] = [lanes[0], lanes[1]]
    yield* output(`sweep operate lanes drain ${old} --reason rotation`)
    yield* output(`sweep operate lanes retire ${old}`).pipe(Effect.retry(again))
    for (const { chain } of all) {
      yield* output(`sweep operate lanes empty ${old} --chain ${chain.id} --to ${heir}`).pipe(Effect.retry(again))
    }
    yield* keys(2, 3)
    yield* replicas.restart("orchestrator")
    yield* traffic.more(6)
  })

/** Nothing that was accepted is without its end, and the books have what the chains have. */
const balanced = Effect.fnUntraced(function* ({ places, traffic }: Scene, url: string) {
  yield* Books.idle(url)
  const lost = traffic.accepted.filter(({ status }) => status !== "delivered")
  yield* must(lost.length === 0, `not delivered: ${JSON.stringify(lost.slice(0, 5))}`)
  const [events, books] = [yield* Books.events(places), Books.sums(yield* Books.of(url))]
  const differences = (["settled", "fees", "builderFees"] as const)
    .filter((name) => events[name] !== books[name])
    .map((name) => `${name}: ${events[name]} on the chains, and ${books[name]} in the books`)
  yield* must(differences.length === 0, differences.join("; "))
  return `${traffic.accepted.length} accepted, ${events.settled} settled and booked`
})

export const run = Effect.fnUntraced(function* (report: Report) {
  const { leaveOut, step } = report
  const clock = yield* WorldClock.make
  const shell = yield* Shell.make(clock.environment)
  if (yield* Rules.isInstalled) yield* step("promtool accepts the rules", Rules.accepted(shell), String)
  else yield* leaveOut("the rules for Prometheus (promtool is not installed: Debian's package prometheus)")
  const database = yield* step("PostgreSQL runs, of the version of pg_dump", Database.start, ({ version }) => version)
  const all = yield* step("an anvil and an EDR chain run", Setup.chains)
  const makeLane = (number: number) =>
    step(`lane ${number} has a keystore and gas`, Setup.lane(shell, all, number), String)
  const lanes = [yield* makeLane(1), yield* makeLane(2)]
  const databaseUrl = yield* database.create("sweep")
  yield* step("sweep init wrote chains.json and .env", Setup.initialised(shell, all, databaseUrl))
  yield* step("sweep deploy deployed the contracts on both", Setup.deployed(shell, all))

  const alarms = yield* Alarms.make
  const balancers = { orchestrator: yield* Balancer.make, "builder-backend": yield* Balancer.make }
  const redis = yield* Redis.start
  if (redis === undefined) yield* leaveOut("Redis (neither redis-server nor valkey-server is installed)")
  yield* shell.settings({
    ACROSS_FIXED_FEE_BPS: "10",
    ALERT_WEBHOOK_SECRET: Alarms.SECRET,
    ALERT_WEBHOOK_URL: alarms.url,
    BUILDER_URL: balancers["builder-backend"].url,
    LOG_FORMAT: "json",
    ORCHESTRATOR_URL: balancers.orchestrator.url,
    RATE_LIMIT: "1000000",
    SECRETS_KEY: "5e".repeat(32),
    TRUSTED_PROXY_HOPS: "1",
    ...(redis === undefined ? {} : { REDIS_URL: redis.url })
  })
  const replicas = Replicas.make(shell, balancers)
  yield* step("two replicas of each service are ready", replicas.startAll)
  yield* step("sweep doctor finds no error", Setup.healthy(shell), String)

  const wallet = privateKeyToAccount(generatePrivateKey()).address
  const registered = yield* step(
    "a builder is registered",
    shell.output(`sweep builders register --id drill --name Drill --bps 20 --payout-address ${wallet} --json`)
  )
  const { apiKey } = JSON.parse(registered) as { readonly apiKey: string }
  const places = yield* placesOf(all, balancers.orchestrator.url)
  const traffic = Traffic.make({ url: balancers.orchestrator.url, apiKey, places })
  const create = (name: string) => database.create(name)
  const scene: Scene = { report, shell, replicas, traffic, alarms, all, clock, places, create, databaseUrl, lanes }

  yield* traffic.during(
    Effect.gen(function* () {
      yield* step("an orchestrator was killed under load, and the others went on", killed(scene, "orchestrator"))
      yield* step("a builder backend was killed under load, and the other went on", killed(scene, "builder-backend"))
      yield* step("a chain was paused and resumed", paused(scene))
      yield* step("a chain's endpoint was replaced, and the last one stays", rerouted(scene))
      if (redis !== undefined) {
        yield* step("Redis was killed under load, and started again", Counting.survived(scene, redis), String)
      }
      yield* step("alerts were provoked, told and resolved", Alerting.provoked(scene), String)
      yield* step("a lane was rotated", rotated(scene))
    })
  )
  yield* step("nothing is lost, and the books equal the chains", balanced(scene, databaseUrl), String)
  const restoredUrl = yield* recovered(scene)
  yield* step("after the restore nothing is lost, and the books equal the chains", balanced(scene, restoredUrl), String)
  const { forged, notices } = yield* alarms.counts
  yield* step(
    "every notice of an alert was signed",
    must(forged === 0, `${forged} were not`),
    () => `${notices} notices`
  )
})
