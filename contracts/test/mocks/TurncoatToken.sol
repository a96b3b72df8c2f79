// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @notice Replaces a token's code, as an upgrade between a simulation and its transaction does. Every transfer and
///         approval fails from then on, and everything else behaves like the token. It has no imports, so that tests outside
///         of Foundry can compile it.
contract TurncoatToken {
    enum Mood {
        Revert,
        BurnGas,
        ReturnBomb
    }

    error TurnedCoat();

    /// @dev Holds the token's own code, which runs on the storage of the token.
    address private immutable _original;
    Mood private immutable _mood;

    constructor(address original, Mood mood) {
        _original = original;
        _mood = mood;
    }

    fallback() external {
        if (_moves(msg.sig)) _turn();
        address original = _original;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), original, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }

    function _moves(bytes4 selector) private pure returns (bool) {
        // transfer, transferFrom, approve
        return selector == 0xa9059cbb || selector == 0x23b872dd || selector == 0x095ea7b3;
    }

    function _turn() private view {
        if (_mood == Mood.Revert) revert TurnedCoat();
        if (_mood == Mood.BurnGas) {
            assembly {
                for { } 1 { } { }
            }
        }
        assembly {
            // About as much as the gas of a sweep pays for.
            revert(0, 100000)
        }
    }
}
