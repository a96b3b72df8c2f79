// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { ERC20 } from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @notice Calls a hook before each transfer, like ERC-777.
contract HookToken is ERC20("Hook", "HOOK") {
    address public hook;
    bytes public data;
    bytes public result;
    bool public called;
    bool public succeeded;

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function setHook(address hook_, bytes calldata data_) external {
        hook = hook_;
        data = data_;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (hook != address(0)) {
            called = true;
            (succeeded, result) = hook.call(data);
        }
        super._update(from, to, value);
    }
}

/// @notice Reports failure by returning false instead of reverting.
contract FalseToken is ERC20("False", "FALSE") {
    bool public failTransfer;
    bool public failApprove;

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function setFailing(bool transfers, bool approvals) external {
        failTransfer = transfers;
        failApprove = approvals;
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        return !failTransfer && super.transfer(to, value);
    }

    function approve(address spender, uint256 value) public override returns (bool) {
        return !failApprove && super.approve(spender, value);
    }
}

/// @notice Debits the sender by one unit more than the recipient receives.
contract ExtraDebitToken is ERC20("Extra", "EXTRA") {
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        _burn(from, 1);
        return super.transferFrom(from, to, value);
    }
}

/// @notice Every balance is a share of the supply, which `rebase` changes for all holders at once.
contract RebasingToken is ERC20("Rebasing", "REBASE") {
    uint256 public index = 1e18;

    function mint(address to, uint256 amount) external {
        _mint(to, amount * 1e18 / index);
    }

    function rebase(uint256 index_) external {
        index = index_;
    }

    function balanceOf(address account) public view override returns (uint256) {
        return super.balanceOf(account) * index / 1e18;
    }

    function _update(address from, address to, uint256 value) internal override {
        bool moving = from != address(0) && to != address(0);
        super._update(from, to, moving ? value * 1e18 / index : value);
    }
}

/// @notice Does not reduce an allowance when it is used.
contract StickyAllowanceToken is ERC20("Sticky", "STICKY") {
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function _spendAllowance(address owner, address spender, uint256 value) internal view override {
        require(allowance(owner, spender) >= value, "allowance");
    }
}

/// @notice Does not answer the owner's question about an allowance: it reverts with a zero word, or returns less than a
///         word.
contract MuteAllowanceToken is ERC20("Mute", "MUTE") {
    enum Answer {
        Revert,
        Short
    }

    Answer private immutable _answer;

    constructor(Answer answer) {
        _answer = answer;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    /// @dev Returns nothing, like USDT. So no return value of this call remains in the caller's scratch memory.
    function approve(address spender, uint256 value) public override returns (bool) {
        super.approve(spender, value);
        assembly ("memory-safe") {
            return(0, 0)
        }
    }

    function allowance(address owner, address spender) public view override returns (uint256) {
        // Other callers, such as the spender, get an answer.
        if (msg.sender != owner) return super.allowance(owner, spender);
        bool fails = _answer == Answer.Revert;
        assembly ("memory-safe") {
            mstore(0x00, 0)
            if fails { revert(0x00, 0x20) }
            return(0x00, 0x1f)
        }
    }

    /// @notice Actual allowance of `spender`.
    function standing(address owner, address spender) external view returns (uint256) {
        return super.allowance(owner, spender);
    }
}
