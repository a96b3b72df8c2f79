/** Choices of the user: preset, ticked tokens, amounts and target. */
import { useQuery } from "@tanstack/react-query"
import { useCallback, useEffect, useMemo, useState } from "react"
import { sameAddress } from "../../sdk/model/Address.ts"
import type { Address, SweepableToken } from "../../sdk/index.ts"
import { askAgain } from "../api/askAgain.ts"
import { comparable } from "../lib/usd.ts"
import { keyOf, type Place, unitOf } from "./catalog.ts"
import { contradiction } from "./knownToken.ts"
import { obstacle } from "./obstacle.ts"
import {
  type Amounts,
  amountOf,
  enteredBesides,
  isNoAmount,
  isPreselected,
  type Preset,
  type Rest,
  restAfter,
  restWithout,
  ticked,
  whyLeft
} from "./selection.ts"
import { holdings as holdingsOf, isIncomplete, type Session } from "./session.ts"
import { isEnded, isUnconfirmed } from "./submissions.ts"
import { defaultTarget, readDestination, type TargetDefaults } from "./target.ts"
import type { Deeds } from "./useRenewal.ts"

const askWhileIncomplete = askAgain(isIncomplete)

/** A token of the list, with what can be done with it. */
export interface Entry {
  readonly key: string
  readonly token: SweepableToken
  /** The reason for which it cannot be swept. */
  readonly obstacle: string | undefined
  /** The reason for which the preset leaves it, although it can be swept. */
  readonly left: string | undefined
  readonly isChosen: boolean
  /** Amount to sweep, in the smallest unit. */
  readonly amount: bigint
  /** True if what the user entered last is no amount of it. It cannot be swept until that is mended. */
  readonly lacksAmount: boolean
}

const NOTHING: ReadonlyArray<SweepableToken> = []

/** The target that the user chose, or else the one that fits the holdings. */
const useTarget = (
  { account, catalog }: Session,
  defaults: TargetDefaults,
  holdings: { readonly tokens: ReadonlyArray<SweepableToken>; readonly isWhole: boolean } | undefined
) => {
  const [decided, setTo] = useState<Place>()
  /** Input of another address. Undefined for the owner's address. */
  const [typed, setTyped] = useState<string | undefined>(
    defaults.destination === undefined || sameAddress(defaults.destination, account.address)
      ? undefined
      : defaults.destination
  )
  useEffect(() => {
    // Decided once, by all holdings: a finished sweep must not change the target of the next one.
    if (holdings?.isWhole === true) setTo((chosen) => chosen ?? defaultTarget(catalog, holdings.tokens, defaults))
  }, [holdings, catalog, defaults])
  /** Keeps the target of a plan that was shown, unless another one is chosen: holdings of another chain may come late. */
  const keepTarget = useCallback((shown: Place) => setTo((chosen) => chosen ?? shown), [])
  const to = decided ?? (holdings === undefined ? undefined : defaultTarget(catalog, holdings.tokens, defaults))
  const read = typed === undefined ? { address: account.address } : readDestination(catalog, typed)
  return {
    to,
    /** True if the service's facts about the token contradict the shipped ones, so that nothing is swept into it. */
    isRefused: to !== undefined && contradiction({ ...to, ...unitOf(catalog, to) }) !== undefined,
    setTo,
    keepTarget,
    typed,
    setTyped,
    destination: "address" in read ? read.address : undefined,
    problem: "problem" in read ? read.problem : undefined
  }
}

interface Choice {
  readonly tokens: ReadonlyArray<SweepableToken>
  readonly to: Place | undefined
  readonly preset: Preset
  /** Keys of the tokens that the user ticked, for the preset `custom`. */
  readonly picked: ReadonlySet<string>
  readonly amounts: Amounts
  readonly rest: Rest
}

const UNDER_WAY = "On its way in another sweep"
const UNCONFIRMED = "Signed in another sweep, which the service has not confirmed"

/** The tokens with what can be done with them, the highest value first. */
const useEntries = (
  { catalog, submissions }: Pick<Session, "catalog" | "submissions">,
  { amounts, picked, preset, rest, to, tokens }: Choice
): ReadonlyArray<Entry> => {
  const underWay = useMemo(
    () =>
      new Map(
        submissions.list.flatMap((each) => {
          if (isEnded(each)) return []
          const key = keyOf({ chainId: each.send.chainId, address: each.send.token }).toLowerCase()
          return [[key, isUnconfirmed(each) ? UNCONFIRMED : UNDER_WAY]]
        })
      ),
    [submissions.list]
  )
  /** Ticks change neither these entries nor their order, which take most of the time. */
  const sorted = useMemo(
    () =>
      tokens
        .map((token) => {
          const key = keyOf(token)
          const why = underWay.get(key.toLowerCase()) ?? obstacle(catalog, token, to)
          return { key, token, obstacle: why, value: comparable(token.valueUsd) }
        })
        .toSorted((a, b) => (a.value === b.value ? 0 : a.value > b.value ? -1 : 1)),
    [tokens, underWay, catalog, to]
  )
  return useMemo(
    (): ReadonlyArray<Entry> =>
      sorted.map(({ key, obstacle: why, token }) => ({
        key,
        token,
        obstacle: why,
        left: why === undefined ? whyLeft(preset, token) : undefined,
        isChosen: why === undefined && (preset === "custom" ? picked.has(key) : isPreselected(preset, token)),
        amount: amountOf(token, amounts.get(key), rest.get(key)),
        lacksAmount: isNoAmount(token, amounts.get(key))
      })),
    [sorted, preset, picked, amounts, rest]
  )
}

export const useSelection = (session: Session, defaults: TargetDefaults) => {
  const { account, client } = session
  const [asked, setAsked] = useState<ReadonlyArray<Address>>([])
  const found = useQuery({
    ...holdingsOf({ account, client }, asked),
    // The list stays while another token is looked for.
    placeholderData: (last, query) => (query?.queryKey[1] === account.address ? last : undefined),
    refetchInterval: askWhileIncomplete
  })
  const tokens = found.data?.tokens ?? NOTHING
  const target = useTarget(
    session,
    defaults,
    useMemo(() => found.data && { tokens: found.data.tokens, isWhole: !isIncomplete(found.data) }, [found.data])
  )
  const { to } = target
  const [preset, setPreset] = useState<Preset>("dust")
  /** Keys of the tokens that the user ticked, for the preset `custom`. */
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const [amounts, setAmounts] = useState<Amounts>(new Map())
  const [rest, setRest] = useState<Rest>(new Map())
  const [deeds, setDeeds] = useState<Deeds>({ choices: 0, sweeps: 0 })
  const countChoice = () => setDeeds(({ choices, sweeps }) => ({ choices: choices + 1, sweeps }))
  /** Counts what the user does. */
  const choosing =
    <A extends ReadonlyArray<unknown>>(act: (...args: A) => void) =>
    (...args: A) => {
      countChoice()
      act(...args)
    }

  const entries = useEntries(session, { amounts, picked, preset, rest, to, tokens })
  const chosen = useMemo(() => entries.filter(({ isChosen }) => isChosen), [entries])

  /** Changes some ticks, by key. No preset decides any more. */
  const tick = choosing((changes: Iterable<readonly [key: string, isWanted: boolean]>) => {
    const next = ticked(entries, { picked, rest }, changes)
    setPicked(next)
    setRest((before) => restAfter(before, entries, next))
    setPreset("custom")
  })
  return {
    ...target,
    setTo: choosing((to: Place) => target.setTo(to)),
    setTyped: choosing(target.setTyped),
    /** Apart from changes of the request by itself, with the holdings. */
    deeds,
    found,
    tokens,
    asked,
    /** Asks for the holdings because the user wants to. A change that they bring is no surprise. */
    refresh: () => void found.refetch().then(({ isSuccess }) => isSuccess && countChoice()),
    lookFor: (token: Address) => setAsked((before) => [...before.filter((other) => other !== token), token]),
    entries,
    chosen,
    preset,
    choosePreset: choosing((next: Preset) => {
      setPicked(new Set(chosen.map(({ key }) => key)))
      setRest(new Map())
      setPreset(next)
    }),
    tick,
    /** Ticks the rest of a sweep alone, with the amounts that are left of it, by key. */
    pickRest: choosing((left: Rest) => {
      setPicked(new Set(left.keys()))
      setAmounts((before) => enteredBesides(before, left))
      setRest(left)
      setPreset("custom")
    }),
    /** Sets the amount of a token. Null for an input that is no amount. */
    setAmount: choosing((key: string, amount: bigint | null) => {
      setAmounts(new Map(amounts).set(key, amount))
      setRest((before) => restWithout(before, [key]))
    }),
    /** Forgets the ticks and amounts of tokens that are swept: they were for the balance before. */
    forget: (swept: ReadonlyArray<Place>) => {
      setDeeds(({ choices, sweeps }) => ({ choices, sweeps: sweeps + 1 }))
      const keys = new Set(swept.map((place) => keyOf(place).toLowerCase()))
      const isLeft = (key: string) => !keys.has(key.toLowerCase())
      setPicked((before) => new Set([...before].filter(isLeft)))
      setAmounts((before) => new Map([...before].filter(([key]) => isLeft(key))))
      setRest((before) => restWithout(before, keys))
    }
  }
}

export type Selection = ReturnType<typeof useSelection>
