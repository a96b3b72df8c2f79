// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { SweepDelegate } from "../SweepDelegate.sol";

/// @title  Unsigned sweep delegate
/// @notice Stands in for the delegate while an order is simulated that its owner has not signed yet. It is never deployed:
///         its code, with the delegate's immutable values, is put in the place of the delegate's for one `eth_call`.
contract UnsignedSweepDelegate is SweepDelegate {
    constructor(address feeRecipient, address wrappedNative, string memory domainName, address priorGuard)
        SweepDelegate(feeRecipient, wrappedNative, domainName, priorGuard)
    { }

    /// @dev Checks the signature, for its gas, and accepts the order or batch whatever the result.
    function _isAuthorized(bytes32 hash, bytes calldata signature) internal view override returns (bool) {
        return _isSigned(hash, signature) || hash != 0;
    }
}
