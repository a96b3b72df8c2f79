// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @title  Rehearsal
/// @notice Runs calls in order in one `eth_call` and reports the result and the gas of each. It is never deployed: its code is
///         put in the place of the accounts that make the calls, for one `eth_call`. So every call has the sender that it will
///         have, and the effects of those before it.
contract Rehearsal {
    /// @param from     Account that makes the call. Has this code, like the account that is called by the node.
    /// @param to       Callee.
    /// @param value    Wei.
    /// @param gasLimit Gas of the call.
    /// @param share    If it is not 0, the call is made twice. The first one is undone, and only measured. The second one has the
    ///                 gas limit that fits: the measured gas, one part in `share` more, and `extra`.
    /// @param extra    See `share`.
    /// @param data     Calldata.
    struct Step {
        address from;
        address to;
        uint256 value;
        uint256 gasLimit;
        uint256 share;
        uint256 extra;
        bytes data;
    }

    /// @param success    The call did not revert.
    /// @param gasUsed    Gas of the callee's execution, with refunds not taken off.
    /// @param gasLimit   Gas that the call had.
    /// @param returnData Its first {MAX_RETURN_DATA} bytes.
    struct Outcome {
        bool success;
        uint256 gasUsed;
        uint256 gasLimit;
        bytes returnData;
    }

    /// @notice Bytes of return data that are kept, enough for every error of the delegate.
    uint256 public constant MAX_RETURN_DATA = 512;

    /// @dev Gas of a call of a warm account, and of the instructions that measure it.
    uint256 private constant _CALL_GAS = 124;

    /// @dev Gas of a transfer of value, less the stipend that the callee may use.
    uint256 private constant _VALUE_GAS = 6700;

    /// @notice The node grants too little gas for a step to have its limit.
    error InsufficientGas();

    /// @notice Receives native currency, as the account does.
    receive() external payable { }

    /// @notice Runs the steps in order.
    function run(Step[] calldata steps) external returns (Outcome[] memory outcomes) {
        outcomes = new Outcome[](steps.length);
        for (uint256 i; i < steps.length; ++i) {
            outcomes[i] = _make(steps[i]);
        }
    }

    /// @notice Runs each step as if it were the only one: it leaves nothing for the next one, not even warm storage. If one does
    ///         not get its gas, as when another one used much more than expected, there is no outcome of any.
    function runApart(Step[] calldata steps) external returns (Outcome[] memory outcomes) {
        outcomes = new Outcome[](steps.length);
        for (uint256 i; i < steps.length; ++i) {
            try this.alone(steps[i]) { }
            catch (bytes memory undone) {
                outcomes[i] = abi.decode(undone, (Outcome));
            }
        }
    }

    /// @notice Makes a step and reverts with its outcome.
    function alone(Step calldata step) external {
        _revertWith(_make(step));
    }

    /// @notice Makes one step as this account.
    function perform(Step calldata step) public returns (Outcome memory outcome) {
        _warm(step.to);
        if (step.share == 0) return _act(step, step.gasLimit);
        try this.attempt(step) { }
        catch (bytes memory undone) {
            outcome = abi.decode(undone, (Outcome));
        }
        if (outcome.success) outcome = _act(step, outcome.gasUsed + outcome.gasUsed / step.share + step.extra);
    }

    /// @notice Makes the call of a step and reverts with its outcome, so that it leaves nothing, not even warm storage.
    function attempt(Step calldata step) external {
        _revertWith(_act(step, step.gasLimit));
    }

    function _make(Step calldata step) private returns (Outcome memory) {
        return step.from == address(this) ? perform(step) : Rehearsal(payable(step.from)).perform(step);
    }

    function _revertWith(Outcome memory outcome) private pure {
        bytes memory encoded = abi.encode(outcome);
        assembly ("memory-safe") {
            revert(add(encoded, 0x20), mload(encoded))
        }
    }

    function _act(Step calldata step, uint256 gasLimit) private returns (Outcome memory outcome) {
        // EIP-150 gives a call at most 63/64 of the remaining gas, silently less than its limit when that is too little.
        if (gasleft() * 63 < (gasLimit + 20_000) * 64) revert InsufficientGas();
        address to = step.to;
        uint256 value = step.value;
        bytes memory input = step.data;
        bool success;
        uint256 used;
        assembly ("memory-safe") {
            let before := gas()
            success := call(gasLimit, to, value, add(input, 0x20), mload(input), 0, 0)
            used := sub(before, gas())
        }
        unchecked {
            uint256 overhead = value == 0 ? _CALL_GAS : _CALL_GAS + _VALUE_GAS;
            outcome.gasUsed = used > overhead ? used - overhead : 0;
        }
        outcome.success = success;
        outcome.gasLimit = gasLimit;
        outcome.returnData = _returned();
    }

    /// @dev Adds an account, and the account to which it delegates, to the accessed addresses, as a transaction does with
    ///      its recipient (EIP-2929, EIP-7702).
    function _warm(address account) private {
        assembly ("memory-safe") {
            pop(call(0, account, 0, 0, 0, 0, 0))
        }
    }

    function _returned() private pure returns (bytes memory data) {
        uint256 size;
        assembly ("memory-safe") {
            size := returndatasize()
        }
        if (size > MAX_RETURN_DATA) size = MAX_RETURN_DATA;
        data = new bytes(size);
        assembly ("memory-safe") {
            returndatacopy(add(data, 0x20), 0, size)
        }
    }
}
