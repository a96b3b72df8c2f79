// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { ERC20 } from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @notice Token that behaves until its trigger is due and then turns on its holders. For attacks on a local network.
contract HostileToken is ERC20 {
    enum Trigger {
        Never,
        Always,
        GasPrice,
        BaseFee,
        OddRandomness,
        OddBlock,
        LittleGas,
        NoCoinbase,
        EvenRandomness,
        KnownParent
    }

    enum Deed {
        Revert,
        BurnGas,
        ReturnBomb,
        Tax,
        Rebase,
        CallBack
    }

    struct Call {
        address to;
        bytes data;
    }

    /// @notice The only account that configures the token.
    address public immutable MASTER;

    Trigger public trigger;
    Deed public deed;

    /// @notice Size of the deed: gas to burn, bytes to return, or basis points to take. For `LittleGas`, also `threshold`.
    uint256 public size;

    /// @notice Gas left below which `LittleGas` is due.
    uint256 public threshold;

    /// @notice Transfers that are made faithfully before the trigger counts.
    uint256 public patience;

    /// @notice Transfers between accounts so far.
    uint256 public transfers;

    Call[] private _calls;

    error NotMaster();
    error Turned();

    constructor(address master) ERC20("Hostile Token", "HOST") {
        MASTER = master;
    }

    modifier onlyMaster() {
        if (msg.sender != MASTER) revert NotMaster();
        _;
    }

    /// @notice Creates `amount` for each account.
    function mint(address[] calldata accounts, uint256 amount) external onlyMaster {
        for (uint256 i; i < accounts.length; ++i) {
            _mint(accounts[i], amount);
        }
    }

    /// @notice Chooses what happens from now on, after `patience_` more transfers.
    function turn(Trigger trigger_, Deed deed_, uint256 size_, uint256 threshold_, uint256 patience_)
        external
        onlyMaster
    {
        trigger = trigger_;
        deed = deed_;
        size = size_;
        threshold = threshold_;
        patience = transfers + patience_;
    }

    /// @notice Chooses the calls of `CallBack`.
    function setCalls(Call[] calldata calls) external onlyMaster {
        delete _calls;
        for (uint256 i; i < calls.length; ++i) {
            _calls.push(calls[i]);
        }
    }

    /// @dev After a rebase every balance shows less.
    function balanceOf(address account) public view override returns (uint256) {
        uint256 balance = super.balanceOf(account);
        return deed == Deed.Rebase && _isDue() ? balance * (10_000 - size) / 10_000 : balance;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (from == address(0) || to == address(0)) return super._update(from, to, value);
        bool isDue = _isDue();
        ++transfers;
        super._update(from, to, isDue ? _turnOn(from, value) : value);
    }

    function _isDue() private view returns (bool) {
        if (transfers < patience) return false;
        if (trigger == Trigger.Always) return true;
        if (trigger == Trigger.GasPrice) return tx.gasprice > 0;
        if (trigger == Trigger.BaseFee) return block.basefee > 0;
        if (trigger == Trigger.OddRandomness) return block.prevrandao % 2 == 1;
        if (trigger == Trigger.OddBlock) return block.number % 2 == 1;
        if (trigger == Trigger.LittleGas) return gasleft() < threshold;
        if (trigger == Trigger.NoCoinbase) return block.coinbase == address(0);
        if (trigger == Trigger.EvenRandomness) return block.prevrandao % 2 == 0;
        if (trigger == Trigger.KnownParent) return blockhash(block.number - 1) != 0;
        return false;
    }

    /// @dev Returns the amount that arrives.
    function _turnOn(address from, uint256 value) private returns (uint256) {
        if (deed == Deed.Revert) revert Turned();
        if (deed == Deed.BurnGas) {
            uint256 start = gasleft();
            uint256 end = start > size ? start - size : 0;
            while (gasleft() > end) { }
            return value;
        }
        if (deed == Deed.ReturnBomb) {
            uint256 bytes_ = size;
            assembly ("memory-safe") {
                revert(0, bytes_)
            }
        }
        if (deed == Deed.Tax) {
            uint256 tax = value * size / 10_000;
            super._update(from, address(0), tax);
            return value - tax;
        }
        if (deed == Deed.Rebase) {
            if (value > balanceOf(from)) revert Turned();
            return value;
        }
        for (uint256 i; i < _calls.length; ++i) {
            (bool success,) = _calls[i].to.call(_calls[i].data);
            success;
        }
        return value;
    }
}
