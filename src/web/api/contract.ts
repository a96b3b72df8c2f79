/** Types of calls that follow from the API contract, which is imported here and in the clients for its types only. */
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { Address } from "../../domain/Address.ts"

type Endpoint = HttpApiEndpoint.ConstraintRequest & { readonly method: string; readonly path: string }

type EndpointsOf<Group> = Extract<HttpApiGroup.Endpoints<Group>, Endpoint>

type NameOf<Group> = EndpointsOf<Group>["identifier"]

type Named<Group, Name> = Extract<EndpointsOf<Group>, { readonly identifier: Name }>

type Leaf = string | number | boolean | bigint | null | undefined | ((...args: never) => unknown)

/** Names of the members that hold amounts, which are decimal strings on the wire, at any depth. */
type AmountsIn<Value> = Value extends Leaf
  ? never
  : Value extends ReadonlyArray<infer Each>
    ? [Extract<Each, bigint>] extends [never]
      ? AmountsIn<Each>
      : "an array of amounts is not supported"
    : string extends keyof Value
      ? [Extract<Value[keyof Value], bigint>] extends [never]
        ? never
        : "a record of amounts is not supported"
      : {
          [Key in keyof Value & string]-?:
            | ([Extract<Value[Key], bigint>] extends [never] ? never : Key)
            | AmountsIn<Value[Key]>
        }[keyof Value & string]

type Success<Each extends Endpoint> = Each["~Success"]["Type"]

type Amounts<Each extends Endpoint> = AmountsIn<Success<Each> | Each["~Error"]["Type"]>

type RouteOf<Each extends Endpoint> = Each extends Endpoint
  ? [Amounts<Each>] extends [never]
    ? `${Each["method"]} ${Each["path"]}`
    : readonly [route: `${Each["method"]} ${Each["path"]}`, amounts: Readonly<Record<Amounts<Each>, true>>]
  : never

/** Method and path of each used endpoint of a group, and the names of the members that hold amounts in its answers. */
export type RoutesOf<Group> = { readonly [Name in NameOf<Group>]?: RouteOf<Named<Group, Name>> }

/** A call that runs when it gets its signal. */
export type Ask<Answer> = (signal?: AbortSignal) => Promise<Answer>

/** A value as it is sent: amounts are decimal strings, and addresses have any case. */
type Sent<Value> = Value extends bigint | Address
  ? string
  : Value extends Leaf
    ? Value
    : { readonly [Key in keyof Value]: Sent<Value[Key]> }

type Part<Name extends string, Schema extends { readonly Type: unknown }> = [Schema["Type"]] extends [never]
  ? unknown
  : { readonly [Key in Name]: Sent<Schema["Type"]> }

type Asked<Each extends Endpoint> = Part<"params", Each["~Params"]> &
  Part<"query", Each["~Query"]> &
  Part<"payload", Each["~Payload"]>

type CallOf<Each extends Endpoint> =
  unknown extends Asked<Each> ? () => Ask<Success<Each>> : (asked: Asked<Each>) => Ask<Success<Each>>

export type CallsOf<Group, Routes> = {
  readonly [Name in keyof Routes & NameOf<Group>]: CallOf<Named<Group, Name>>
}
