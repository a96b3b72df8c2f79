/** The manifests of roles: whom the policies of the network let pass. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const Labels = Schema.Record(Schema.String, Schema.String)

const Selector = Schema.Struct({ matchLabels: Labels })

const Manifest = Schema.Struct({
  kind: Schema.String,
  spec: Schema.Struct({
    template: Schema.optionalKey(
      Schema.Struct({
        metadata: Schema.Struct({ labels: Labels }),
        spec: Schema.Struct({
          containers: Schema.Array(
            Schema.Struct({
              env: Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.optionalKey(Schema.String) }))
            })
          )
        })
      })
    ),
    podSelector: Schema.optionalKey(Selector),
    ingress: Schema.optionalKey(
      Schema.Array(
        Schema.Struct({
          ports: Schema.Array(Schema.Struct({ port: Schema.Int })),
          from: Schema.Array(Schema.Struct({ podSelector: Schema.optionalKey(Selector) }))
        })
      )
    )
  })
})

const read = (path: string) =>
  Schema.decodeUnknownSync(Schema.Array(Manifest))(Bun.YAML.parse(readFileSync(`deploy/${path}`, "utf8")))

const WORKERS = read("kubernetes-roles/workers.yaml")

const POLICIES = [...read("kubernetes/network.yaml"), ...WORKERS].filter(({ kind }) => kind === "NetworkPolicy")

const BUILDER = { "app.kubernetes.io/name": "builder-backend" }
const BUILDER_PORT = 8788

type Labelled = Readonly<Record<string, string>>

const matches = (selector: typeof Selector.Type | undefined, labels: Labelled): boolean =>
  selector !== undefined && Object.entries(selector.matchLabels).every(([name, value]) => labels[name] === value)

/** True if a policy lets pods with these labels pass to the builder backend. */
const reachesBuilder = (labels: Labelled): boolean =>
  POLICIES.some(
    ({ spec: { ingress = [], podSelector } }) =>
      matches(podSelector, BUILDER) &&
      ingress.some(
        ({ from, ports }) =>
          ports.some(({ port }) => port === BUILDER_PORT) && from.some((peer) => matches(peer.podSelector, labels))
      )
  )

describe("the manifests of roles", () => {
  it("let every worker that is told the builder backend's URL reach it", () => {
    const workers = WORKERS.flatMap(({ spec: { template } }) => template ?? []).filter(({ spec }) =>
      spec.containers.some(({ env }) => env.some(({ name }) => name === "BUILDER_URL"))
    )
    assert.isAtLeast(workers.length, 2)
    for (const { metadata } of workers) {
      assert.isTrue(reachesBuilder(metadata.labels), `${metadata.labels["app.kubernetes.io/name"]} is shut out`)
    }
    assert.isFalse(reachesBuilder({ "app.kubernetes.io/name": "stranger" }))
  })
})
