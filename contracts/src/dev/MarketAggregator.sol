// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import { SafeERC20 } from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import { IUnwrapping } from "./IUnwrapping.sol";

/// @notice Stands in for the contracts of 0x, KyberSwap and LI.FI on a local network. It takes the input, makes the calls of a plan and
///         pays the recipient. It is no copy of their code.
contract MarketAggregator {
    using SafeERC20 for IERC20;

    /// @dev A call that spends this contract's whole balance of a token. The balance is written at `amountAt` of the data.
    struct Hop {
        address token;
        address router;
        uint256 amountAt;
        bytes data;
    }

    /// @dev Of 0x's Settler.
    struct Slippage {
        address recipient;
        address buyToken;
        uint256 minAmountOut;
    }

    /// @dev Of KyberSwap's MetaAggregationRouterV2.
    struct Description {
        address srcToken;
        address dstToken;
        address[] srcReceivers;
        uint256[] srcAmounts;
        address[] feeReceivers;
        uint256[] feeAmounts;
        address dstReceiver;
        uint256 amount;
        uint256 minReturnAmount;
        uint256 flags;
        bytes permit;
    }

    struct Execution {
        address callTarget;
        address approveTarget;
        bytes targetData;
        Description desc;
        bytes clientData;
    }

    /// @dev Of LI.FI's diamond.
    struct SwapData {
        address callTo;
        address approveTo;
        address sendingAssetId;
        address receivingAssetId;
        uint256 fromAmount;
        bytes callData;
        bool requiresDeposit;
    }

    address private constant _NATIVE = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

    address public immutable WRAPPED_NATIVE;

    error NotItself();
    error TooLittle();
    error NotDelivered();

    constructor(address wrappedNative) {
        WRAPPED_NATIVE = wrappedNative;
    }

    receive() external payable { }

    /// @notice As 0x's AllowanceHolder, which here is the Settler too.
    function exec(address, address token, uint256 amount, address target, bytes calldata data) external payable {
        if (target != address(this)) revert NotItself();
        IERC20(token).safeTransferFrom(msg.sender, address(this), amount);
        (bool ok, bytes memory result) = target.call(data);
        if (!ok) {
            assembly ("memory-safe") {
                revert(add(result, 32), mload(result))
            }
        }
    }

    /// @notice As 0x's Settler. Each action is a hop.
    function execute(Slippage calldata slippage, bytes[] calldata actions, bytes32) external {
        if (msg.sender != address(this)) revert NotItself();
        for (uint256 i; i < actions.length; ++i) {
            _hop(abi.decode(actions[i], (Hop)));
        }
        _pay(slippage.buyToken, slippage.recipient, slippage.minAmountOut);
    }

    /// @notice As KyberSwap's router. The target's data are the hops.
    function swap(Execution calldata execution) external payable {
        Description calldata desc = execution.desc;
        IERC20(desc.srcToken).safeTransferFrom(msg.sender, address(this), desc.amount);
        _hops(execution.targetData);
        _pay(desc.dstToken, desc.dstReceiver, desc.minReturnAmount);
    }

    /// @notice As LI.FI's diamond. The step's data are the hops.
    function swapTokensSingleV3ERC20ToERC20(
        bytes32,
        string calldata,
        string calldata,
        address payable receiver,
        uint256 minAmountOut,
        SwapData calldata step
    ) external {
        _step(step, receiver, minAmountOut, step.receivingAssetId);
    }

    /// @notice As LI.FI's diamond, for native output.
    function swapTokensSingleV3ERC20ToNative(
        bytes32,
        string calldata,
        string calldata,
        address payable receiver,
        uint256 minAmountOut,
        SwapData calldata step
    ) external {
        _step(step, receiver, minAmountOut, _NATIVE);
    }

    function _step(SwapData calldata step, address receiver, uint256 minAmountOut, address tokenOut) private {
        IERC20(step.sendingAssetId).safeTransferFrom(msg.sender, address(this), step.fromAmount);
        _hops(step.callData);
        _pay(tokenOut, receiver, minAmountOut);
    }

    function _hops(bytes calldata data) private {
        Hop[] memory hops = abi.decode(data, (Hop[]));
        for (uint256 i; i < hops.length; ++i) {
            _hop(hops[i]);
        }
    }

    function _hop(Hop memory hop) private {
        uint256 amount = IERC20(hop.token).balanceOf(address(this));
        (bytes memory data, uint256 at) = (hop.data, hop.amountAt);
        assembly ("memory-safe") {
            mstore(add(add(data, 32), at), amount)
        }
        IERC20(hop.token).forceApprove(hop.router, amount);
        (bool ok, bytes memory result) = hop.router.call(data);
        if (!ok) {
            assembly ("memory-safe") {
                revert(add(result, 32), mload(result))
            }
        }
    }

    function _pay(address token, address recipient, uint256 minAmountOut) private {
        address held = token == _NATIVE ? WRAPPED_NATIVE : token;
        uint256 amount = IERC20(held).balanceOf(address(this));
        if (amount < minAmountOut) revert TooLittle();
        if (token != _NATIVE) return IERC20(held).safeTransfer(recipient, amount);
        IUnwrapping(held).withdraw(amount);
        (bool ok,) = recipient.call{ value: amount }("");
        if (!ok) revert NotDelivered();
    }
}
