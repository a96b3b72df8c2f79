/** The user's choices. They are kept during the review. */
import { useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { sameAddress } from "../../sdk/model/Address.ts"
import type { Address, SweepableToken } from "../../sdk/index.ts"
import { askAgain } from "../api/askAgain.ts"
import { byValue } from "../lib/usd.ts"
import { keyOf, type Place } from "./catalog.ts"
import { obstacle } from "./obstacle.ts"
import { holdings as holdingsOf, isIncomplete, type Session } from "./session.ts"
import { needsCare } from "./warning.ts"
import { defaultTarget, readDestination, type TargetDefaults } from "./target.ts"

const askWhileIncomplete = askAgain(isIncomplete)

export const useChoices = ({ account, catalog, client }: Session, defaults: TargetDefaults) => {
  const [asked, setAsked] = useState<ReadonlyArray<Address>>([])
  const found = useQuery({
    ...holdingsOf({ account, client }, asked),
    // The list stays while another token is looked for.
    placeholderData: (last, query) => (query?.queryKey[1] === account.address ? last : undefined),
    refetchInterval: askWhileIncomplete
  })
  const [decided, setTo] = useState<Place>()
  /** The user's decisions. Other tokens that can be swept are selected, unless they need care. */
  const [picked, setPicked] = useState<ReadonlyMap<string, boolean>>(new Map())
  /** Input of another address. Undefined for the owner's address. */
  const [typed, setTyped] = useState<string | undefined>(
    defaults.destination === undefined || sameAddress(defaults.destination, account.address)
      ? undefined
      : defaults.destination
  )
  const holdings = found.data
  useEffect(() => {
    // Decided once, by all holdings: a finished sweep must not change the target of the next one.
    if (holdings === undefined || isIncomplete(holdings)) return
    setTo((chosen) => chosen ?? defaultTarget(catalog, holdings.tokens, defaults))
  }, [holdings, catalog, defaults])
  const to = decided ?? (holdings === undefined ? undefined : defaultTarget(catalog, holdings.tokens, defaults))

  const tokens = holdings?.tokens ?? []
  const isChosen = (token: SweepableToken) =>
    obstacle(catalog, token, to) === undefined && (picked.get(keyOf(token)) ?? !needsCare(token))
  const toggle = (some: ReadonlyArray<SweepableToken>, wanted: boolean) => {
    setPicked(new Map([...picked, ...some.map((token) => [keyOf(token), wanted] as const)]))
  }
  const read = typed === undefined ? { address: account.address } : readDestination(catalog, typed)
  return {
    found,
    tokens,
    asked,
    lookFor: (token: Address) => setAsked((before) => [...before.filter((other) => other !== token), token]),
    to,
    setTo,
    typed,
    setTyped,
    isChosen,
    toggle,
    chosen: tokens.filter(isChosen).toSorted((a, b) => byValue(a.valueUsd, b.valueUsd)),
    destination: "address" in read ? read.address : undefined,
    problem: "problem" in read ? read.problem : undefined
  }
}

export type Choices = ReturnType<typeof useChoices>
