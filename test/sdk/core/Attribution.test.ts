/** The API key of a request, else that of the client. */
import { assert, describe, it } from "vitest"
import { attributed } from "../../../src/sdk/core/Attribution.ts"

describe("the API key of a request", () => {
  const token = "0x"
  const of = (request: { readonly token: string; readonly apiKey?: string }, apiKey: string | undefined): unknown =>
    attributed(request, apiKey)

  it("is its own, else the client's", () => {
    assert.deepStrictEqual(of({ token, apiKey: "own" }, "client"), { token, apiKey: "own" })
    assert.deepStrictEqual(of({ token }, "client"), { token, apiKey: "client" })
    assert.deepStrictEqual(of({ token }, undefined), { token })
  })

  it("is the client's if the request has an undefined one", () => {
    // Programs in JavaScript pass undefined for an option that is not set.
    const request: object = { token, apiKey: undefined }
    assert.deepStrictEqual<unknown>(attributed(request as { readonly apiKey?: string }, "client"), {
      token,
      apiKey: "client"
    })
  })
})
