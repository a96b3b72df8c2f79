// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { ISweepErrors } from "./ISweepErrors.sol";

/// @notice Order that the owner signs. The field order is the EIP-712 order: changing it changes the type hash.
/// @param owner        The account that is swept; also the signer and the EIP-712 verifying contract.
/// @param tokenIn      Token to sweep, or the native sentinel 0xEeee…EEeE.
/// @param amountIn     Exact amount taken, fees included.
/// @param feeAmount    Protocol fee, in the input token.
/// @param builder      Recipient of the builder fee; zero when there is none.
/// @param builderFee   Builder fee, in the input token.
/// @param tokenOut     Token to deliver, or the native sentinel.
/// @param minAmountOut Minimum amount delivered. Zero for orders that leave the chain, and only for those.
/// @param destination  Recipient of the output.
/// @param swapTarget   Allow-listed router or bridge.
/// @param swapCalldata Call made to it by the account.
/// @param deadline     Last second (UNIX time) at which the order may run.
/// @param nonce        Usable once per owner. Its upper 128 bits are the lower 128 bits of the guard's address, so that the
///                     order runs under no other guard. Nonces may be used in any order.
/// @param destChainId  Chain of delivery.
struct SweepOrder {
    address owner;
    address tokenIn;
    uint256 amountIn;
    uint256 feeAmount;
    address builder;
    uint256 builderFee;
    address tokenOut;
    uint256 minAmountOut;
    address destination;
    address swapTarget;
    bytes swapCalldata;
    uint256 deadline;
    uint256 nonce;
    uint256 destChainId;
}

/// @title  Sweep delegate
/// @notice EIP-7702 delegate of an externally owned account: runs orders that the account's key signed.
interface ISweepDelegate is ISweepErrors {
    /// @notice The lists of a batch differ in length, its legs lie outside the leg hashes, or there are more than 256. The
    ///         result has one bit per leg.
    error BadBatch();
    /// @notice The transaction's gas does not cover the gas limit of a leg.
    error InsufficientGas();
    /// @notice The call names a function that the delegate does not have, and transfers no value.
    error UnknownFunction();

    /// @notice Runs a signed order. Anyone may call: the signature authorizes it.
    /// @dev    Calls the allow-listed target as the account, between the guard's `enter` and `exit`.
    /// @param  order     The order, as signed.
    /// @param  signature ECDSA signature of the EIP-712 digest: 65 bytes, or 64 in the form of EIP-2098.
    /// @return amountOut Amount the destination received; zero for an order that leaves the chain.
    function execute(SweepOrder calldata order, bytes calldata signature) external returns (uint256 amountOut);

    /// @notice Runs legs of a signed batch. A leg that fails does not affect the others, and may be tried again later under
    ///         the same signature. Anyone may call: the signature authorizes it.
    /// @dev    The owner signs `SweepBatch(SweepLeg[] legs)` with `SweepLeg(uint256 chainId,SweepOrder order)`, in a domain
    ///         without a chain (ERC-7964). So one signature covers legs on many chains, and only the hashes of the other
    ///         legs need to be known here. {ISweepGuard-Swept} logs the digest of the single order for each leg. Reverts
    ///         as a whole for wrong lengths, a wrong signature, or too little gas for the limits.
    /// @param  orders    Orders of the legs at `[first, first + orders.length)`. At most 256, all of this chain.
    /// @param  gasLimits Maximum gas of each of these legs.
    /// @param  legHashes EIP-712 struct hashes of all legs, in signing order. Those of `orders` are computed and not read,
    ///                   so they may be zero.
    /// @param  first     Position of the first of `orders` among all legs.
    /// @param  signature ECDSA signature of the batch's EIP-712 digest: 65 bytes, or 64 in the form of EIP-2098.
    /// @return okBitmap  Bit `i` is set when the leg of `orders[i]` settled.
    function executeBatch(
        SweepOrder[] calldata orders,
        uint256[] calldata gasLimits,
        bytes32[] calldata legHashes,
        uint256 first,
        bytes calldata signature
    ) external returns (uint256 okBitmap);

    /// @notice Runs one leg of a batch. Only the account itself may call, which {executeBatch} does.
    /// @param  order     The order.
    /// @return amountOut Amount the destination received; zero for an order that leaves the chain.
    function executeLeg(SweepOrder calldata order) external returns (uint256 amountOut);

    /// @notice Spends a nonce so that its order can never run. Only the account itself may call.
    /// @param  nonce The nonce to spend.
    function cancel(uint256 nonce) external;

    /// @notice Guard that records the nonces and settlements of this delegate. No other contract does.
    function guard() external view returns (address);

    /// @notice Recipient of the protocol fee.
    function feeRecipient() external view returns (address);

    /// @notice Token into which native input is wrapped; zero on a chain without one.
    function wrappedNative() external view returns (address);

    /// @notice Guard of the first generation on this chain, which takes the nonce of every order; zero if there is none.
    function priorGuard() external view returns (address);

    /// @notice ERC-1271: accepts the account's own raw ECDSA signature of `hash`.
    /// @dev    `hash` is not hashed again. Permit2, Seaport and USDC call this as soon as an account has code, with
    ///         digests that already contain their own domain.
    /// @param  hash      Digest that was signed.
    /// @param  signature 65 bytes, or 64 in the form of EIP-2098.
    /// @return magic     0x1626ba7e when valid, 0xffffffff otherwise.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4 magic);

    /// @notice ERC-5267: the EIP-712 domain of single orders. The verifying contract is the account, not this code.
    function eip712Domain()
        external
        view
        returns (
            bytes1 fields,
            string memory name,
            string memory version,
            uint256 chainId,
            address verifyingContract,
            bytes32 salt,
            uint256[] memory extensions
        );
}
